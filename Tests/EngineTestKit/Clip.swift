// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Testing

/// Short clips made with the `ffmpeg` command when a test first asks for them, kept in a directory of the test run.
package enum Clip: String, CaseIterable, Sendable {
    case matroska = "clip.mkv"
    case mp4 = "clip.mp4"
    case fragmented = "fragmented.mp4"
    case transportStream = "clip.ts"
    /// Like `transportStream`, with audio at 22.05 kHz, for which libavformat has no times while it identifies the
    /// streams.
    case lowRate = "low-rate.ts"
    case flash = "clip.flv"
    case avi = "clip.avi"
    case openGroups = "open.mkv"
    case elementary = "clip.h264"
    case audioOnly = "sound.mp3"

    /// 13 s. Video has B-pictures and a random access point each second; audio is AAC, but AC-3 in `openGroups`, and
    /// MP3 in `audioOnly`.
    private var arguments: String {
        let input = "-f lavfi -i testsrc2=s=160x90:r=24 -f lavfi -i sine=440:r=48000 -t 13"
        let video = "-c:v libx264 -preset ultrafast -bf 2 -g 24 -pix_fmt yuv420p"
        return switch self {
        case .matroska, .mp4, .transportStream, .avi: "\(input) \(video) -c:a aac"
        case .lowRate: "\(input) \(video) -c:a aac -ar 22050"
        case .flash: "\(input) \(video) -c:a aac -ar 44100"
        case .fragmented: "\(input) \(video) -c:a aac -movflags frag_keyframe+empty_moov+default_base_moof"
        case .openGroups: "\(input) -c:v libx264 -x264-params open-gop=1:bframes=3:keyint=24:scenecut=0 -c:a ac3"
        case .elementary: "-f lavfi -i testsrc2=s=160x90:r=24 -t 13 \(video)"
        case .audioOnly: "-f lavfi -i sine=440:r=44100 -t 13 -c:a libmp3lame"
        }
    }

    private static let directory = FileManager.default.temporaryDirectory
        .appending(path: "engine-clips-\(UUID().uuidString)")
    private static let lock = NSLock()

    /// The path of the clip, which is made if it does not exist yet.
    package func path() throws -> String {
        try Self.lock.withLock {
            let url = Self.directory.appending(path: rawValue)
            if FileManager.default.fileExists(atPath: url.path) { return url.path }
            try FileManager.default.createDirectory(at: Self.directory, withIntermediateDirectories: true)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
            let words = arguments.split(separator: " ").map(String.init)
            process.arguments = ["-nostdin", "-v", "error", "-y"] + words + [url.path]
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "ffmpeg made no \(rawValue)")
            return url.path
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Needs the `ffmpeg` command to make clips.
    package static var needsFFmpegCommand: Self {
        .enabled("ffmpeg is not installed, so no clip can be made") {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")
        }
    }
}
