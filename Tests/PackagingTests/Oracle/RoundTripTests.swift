// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Packaging
import Testing

/// A clip that ffmpeg makes, and how it comes back.
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
    static let x264 = ["-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-threads", "1", "-pix_fmt", "yuv420p"]

    static let all: [RoundTripCase] = [
        .init(
            name: "H.264 from Matroska",
            file: "a.mkv",
            selector: "v:0",
            encoding: video + x264,
            codecString: "avc1.64000C",
            reorderDepth: 2
        ),
        .init(
            name: "H.264 Annex B from a transport stream",
            file: "a.ts",
            selector: "v:0",
            encoding: video + x264,
            codecString: "avc1.64000C",
            reorderDepth: 2
        ),
        .init(
            name: "H.264 without B frames",
            file: "a.mp4",
            selector: "v:0",
            encoding: video + x264 + ["-profile:v", "baseline"],
            codecString: "avc1.42C00C"
        ),
        .init(
            name: "AAC from MP4",
            file: "a.m4a",
            selector: "a:0",
            encoding: audio + ["-c:a", "aac"],
            codecString: "mp4a.40.2"
        ),
        .init(
            name: "AAC in ADTS frames",
            file: "a.aac",
            selector: "a:0",
            encoding: audio + ["-c:a", "aac"],
            codecString: "mp4a.40.2"
        ),
    ]
}

@Suite(.enabled(if: Tool.isAvailable, "ffmpeg and ffprobe are not installed"), .serialized)
struct RoundTripTests {
    @Test("What ffmpeg decodes from our segments is what it decodes from the source", arguments: RoundTripCase.all)
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
        #expect(try Decoded.digests(packaged.path, clip.selector) == Decoded.digests(path, clip.selector))
        let first = again.packets.compactMap(\.presentation).min() ?? -1
        #expect(first == min(0, packaged.firstPresentation), "presentation starts where the timeline does")
    }

    private static func bytes(_ sample: Sample) -> [UInt8] {
        sample.payload.withBytes { (span: Span<UInt8>) in span.indices.map { span[$0] } }
    }
}
