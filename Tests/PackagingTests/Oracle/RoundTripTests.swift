// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Packaging
import Testing

/// A clip made by ffmpeg, and the expected result of the round trip.
struct RoundTripCase: CustomTestStringConvertible, Sendable {
    var name: String
    var file: String
    var selector: String
    var encoding: [String]
    var codecString: String
    var reorderDepth = 0

    var testDescription: String { name }

    static let video = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=2"]
    static let audio = ["-f", "lavfi", "-i", "sine=f=440:r=48000:d=2", "-ac", "2"]
    static let surround = [
        "-f", "lavfi", "-i", "anoisesrc=r=48000:d=2:seed=1,pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0",
    ]
    static let x264 = ["-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-threads", "1", "-pix_fmt", "yuv420p"]

    static let x265 = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:pools=1:keyint=25"]
    static let hdr = [
        "-pix_fmt", "yuv420p10le", "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
    ]

    private static func clip(
        _ name: String,
        _ file: String,
        _ selector: String,
        _ encoding: [String],
        _ codecString: String,
        reorderDepth: Int = 0
    ) -> RoundTripCase {
        RoundTripCase(
            name: name,
            file: file,
            selector: selector,
            encoding: encoding,
            codecString: codecString,
            reorderDepth: reorderDepth
        )
    }

    static let all: [RoundTripCase] = [
        clip("H.264 from Matroska", "a.mkv", "v:0", video + x264, "avc1.64000C", reorderDepth: 2),
        clip("H.264 Annex B from a transport stream", "a.ts", "v:0", video + x264, "avc1.64000C", reorderDepth: 2),
        clip("H.264 without B frames", "a.mp4", "v:0", video + x264 + ["-profile:v", "baseline"], "avc1.42C00C"),
        clip("HEVC from Matroska", "a.mkv", "v:0", video + x265, "hvc1.1.6.L60.90", reorderDepth: 2),
        clip("HEVC from a transport stream", "a.ts", "v:0", video + x265, "hvc1.1.6.L60.90", reorderDepth: 2),
        clip("HEVC with ten bits", "a.mp4", "v:0", video + x265 + hdr, "hvc1.2.4.L60.90", reorderDepth: 2),
        clip("AV1 from Matroska", "a.mkv", "v:0", video + ["-c:v", "libsvtav1", "-preset", "12"], "av01.0.00M.08"),
        clip(
            "AV1 from an IVF file with ten bits",
            "a.ivf",
            "v:0",
            video + ["-c:v", "libsvtav1", "-preset", "12"] + hdr,
            "av01.0.00M.10.0.110.09.16.09.0"
        ),
        clip(
            "VP9 from WebM",
            "a.webm",
            "v:0",
            video + ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"],
            "vp09.00.11.08"
        ),
        clip("AAC from MP4", "a.m4a", "a:0", audio + ["-c:a", "aac"], "mp4a.40.2"),
        clip("AAC in ADTS frames", "a.aac", "a:0", audio + ["-c:a", "aac"], "mp4a.40.2"),
        clip("AAC from a transport stream", "a.ts", "a:0", audio + ["-c:a", "aac"], "mp4a.40.2"),
        clip(
            "AAC in ADTS frames with a program config element",
            "a.aac",
            "a:0",
            audio + ["-af", "pan=2.1|c0=c0|c1=c1|c2=c0", "-c:a", "aac"],
            "mp4a.40.2"
        ),
        clip("AC-3 from Matroska", "a.mka", "a:0", surround + ["-c:a", "ac3"], "ac-3"),
        clip("E-AC-3 from Matroska", "a.mka", "a:0", surround + ["-c:a", "eac3"], "ec-3"),
        clip("FLAC from its own file", "a.flac", "a:0", audio + ["-c:a", "flac"], "fLaC"),
        clip("FLAC from Matroska", "a.mka", "a:0", surround + ["-c:a", "flac"], "fLaC"),
        clip("ALAC from MP4", "a.m4a", "a:0", audio + ["-c:a", "alac"], "alac"),
        clip("ALAC from Matroska", "a.mka", "a:0", audio + ["-c:a", "alac"], "alac"),
        clip("Opus from Ogg", "a.opus", "a:0", audio + ["-c:a", "libopus"], "Opus"),
        clip("Opus with six channels", "a.mka", "a:0", surround + ["-c:a", "libopus"], "Opus"),
        clip("MP3", "a.mp3", "a:0", audio + ["-c:a", "libmp3lame"], "mp4a.6B"),
        clip("MP3 at a low rate", "a.mp3", "a:0", audio + ["-ar", "22050", "-c:a", "libmp3lame"], "mp4a.69"),
    ]
}

@Suite(.enabled(if: Tool.isAvailable, "ffmpeg and ffprobe are not installed"), .serialized)
struct RoundTripTests {
    @Test("ffmpeg decodes the same from our segments as from the source", arguments: RoundTripCase.all)
    func roundTrip(_ clip: RoundTripCase) throws {
        let scratch = try ScratchDirectory()
        let path = scratch.path(clip.file)
        try Tool.run("ffmpeg", ["-v", "error"] + clip.encoding + [path])
        let source = try SourceStream(path: path, selector: clip.selector, scratch: scratch)
        let packaged = try PackagedFile(source, scratch: scratch)

        #expect(packaged.setup.codecString == clip.codecString)
        #expect(packaged.setup.reorderDepth == clip.reorderDepth)
        let again = try SourceStream(path: packaged.path, selector: clip.selector, scratch: scratch)
        #expect(again.codec == source.codec)
        #expect(again.packets.map(\.bytes) == packaged.samples.map(Self.bytes))
        #expect(again.packets.map(\.isKey) == source.packets.map(\.isKey))
        let decoded = try Decoded.digests(packaged.path, clip.selector)
        #expect(decoded.count >= 20)
        #expect(try decoded == Decoded.digests(path, clip.selector))
        let first = again.packets.compactMap(\.presentation).min() ?? -1
        #expect(first == min(0, packaged.firstPresentation), "presentation starts where the timeline does")
    }

    private static func bytes(_ sample: Sample) -> [UInt8] {
        sample.payload.withBytes { (span: Span<UInt8>) in span.indices.map { span[$0] } }
    }
}
