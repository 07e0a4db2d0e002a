// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Short clips in many codecs and containers. Each clip is made when a test first needs it.
struct CodecClip: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: String

    var testDescription: String { name }

    private static let lossy = "-f lavfi -i testsrc2=s=160x120:r=25 -f lavfi -i sine=440:r=44100 -t 4"
    private static let fields = "-f lavfi -i testsrc2=s=160x128:r=50 -vf tinterlace=interleave_top,fieldorder=tff -t 4"

    private init(_ name: String, _ arguments: String, input: String = lossy) {
        self.name = name
        self.arguments = "\(input) \(arguments)"
    }

    static let all: [CodecClip] = [
        CodecClip("mpeg1.mpg", "-c:v mpeg1video -bf 2 -g 12 -c:a mp2"),
        CodecClip("mpeg2.ts", "-c:v mpeg2video -bf 2 -g 12 -c:a mp2"),
        CodecClip("mpeg2.mkv", "-c:v mpeg2video -bf 2 -g 12 -c:a ac3"),
        CodecClip("mpeg2-fields.mpg", "-c:v mpeg2video -flags +ildct+ilme -bf 2 -g 12", input: fields),
        CodecClip("mpeg4.avi", "-c:v mpeg4 -bf 2 -g 25 -c:a libmp3lame"),
        CodecClip("mpeg4-plain.avi", "-c:v mpeg4 -g 25 -c:a libmp3lame"),
        CodecClip("mpeg4-quarter.mp4", "-c:v mpeg4 -flags +qpel -bf 2 -g 25 -c:a aac"),
        CodecClip("mpeg4.mkv", "-c:v mpeg4 -bf 2 -g 25 -c:a libvorbis"),
        CodecClip("msmpeg4.avi", "-c:v msmpeg4 -g 25 -c:a libmp3lame"),
        CodecClip("wmv2.asf", "-c:v wmv2 -g 25 -c:a wmav2"),
        CodecClip("h263.3gp", "-vf scale=176:144 -c:v h263 -g 25 -c:a aac"),
        CodecClip("flv1.flv", "-c:v flv1 -g 25 -c:a libmp3lame"),
        CodecClip("theora.ogg", "-c:v libtheora -g 25 -c:a libvorbis"),
        CodecClip("vp8.webm", "-c:v libvpx -g 25 -c:a libvorbis"),
        CodecClip("vp9.mkv", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25 -c:a libopus"),
        CodecClip("av1.mkv", "-c:v libsvtav1 -preset 12 -g 25 -c:a libopus"),
        CodecClip("prores.mov", "-pix_fmt yuv422p10le -c:v prores_ks -c:a pcm_s24le"),
        CodecClip("mjpeg.avi", "-pix_fmt yuvj422p -c:v mjpeg -c:a pcm_s16le"),
        CodecClip("qtrle.mov", "-pix_fmt rgb24 -c:v qtrle -g 25 -c:a alac"),
        CodecClip("qtrle-gray.mov", "-pix_fmt gray -c:v qtrle -g 25 -an"),
        CodecClip("png-palette.mov", "-vf format=rgb8,format=pal8 -c:v png -an"),
        CodecClip("hi10.mkv", "-pix_fmt yuv420p10le -c:v libx264 -bf 2 -g 25 -c:a flac"),
        CodecClip("422.mp4", "-pix_fmt yuv422p10le -c:v libx264 -bf 3 -g 25 -c:a aac"),
        CodecClip("444.mkv", "-pix_fmt yuv444p -c:v libx264 -bf 2 -g 25 -c:a dca -strict -2"),
        CodecClip("fields.ts", "-c:v libx264 -flags +ildct+ilme -x264-params tff=1 -bf 2 -g 25", input: fields),
        CodecClip("pyramid.avi", "-pix_fmt yuv420p -c:v libx264 -bf 3 -g 25 -c:a libmp3lame"),
        CodecClip(
            "rext.mkv",
            "-pix_fmt yuv422p12le -c:v libx265 -x265-params log-level=none:keyint=25 -c:a truehd -strict -2"
        ),
        CodecClip("ffv1.mkv", "-pix_fmt yuv420p -c:v ffv1 -g 25 -c:a wavpack"),
        CodecClip("huffyuv.avi", "-pix_fmt yuv422p -c:v huffyuv -c:a adpcm_ms"),
        CodecClip("raw.m4v", "-c:v mpeg4 -bf 2 -g 25 -an"),
        CodecClip("raw.h264", "-pix_fmt yuv420p -c:v libx264 -bf 2 -g 25 -an"),
        CodecClip("open.mpg", "-c:v mpeg2video -bf 2 -g 12 -flags -cgop -c:a mp2"),
    ]

    private static let folder = FileManager.default.temporaryDirectory
        .appending(path: "engine-codecs-\(UUID().uuidString)")
    private static let lock = NSLock()

    /// The path of the clip. Makes the clip if it does not exist yet, once for all the suites that run at the same time.
    func path() throws -> String { try Self.lock.withLock { try made() } }

    private func made() throws -> String {
        try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        let url = Self.folder.appending(path: name)
        guard !FileManager.default.fileExists(atPath: url.path) else { return url.path }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        let options: [String] = "-nostdin -v error -y \(arguments)".split(separator: " ").map { String($0) }
        process.arguments = options + [url.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "ffmpeg made no \(name)")
        return url.path
    }
}
