// SPDX-License-Identifier: Apache-2.0

import Foundation
import Packaging
import Testing

@Suite(.enabled(if: Tool.isAvailable, "ffmpeg and ffprobe are not installed"), .serialized)
struct ConfigurationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var path: String
        var file: String
        var selector: String
        var encoding: [String]
        var testDescription: String { "\(path) of \(file)" }
    }

    static let cases: [Case] = [
        Case(path: "avc1/avcC", file: "a.ts", selector: "v:0", encoding: RoundTripCase.video + RoundTripCase.x264),
        Case(path: "ac-3/dac3", file: "a.mka", selector: "a:0", encoding: RoundTripCase.surround + ["-c:a", "ac3"]),
        Case(path: "ec-3/dec3", file: "a.mka", selector: "a:0", encoding: RoundTripCase.surround + ["-c:a", "eac3"]),
        Case(path: "fLaC/dfLa", file: "a.flac", selector: "a:0", encoding: RoundTripCase.audio + ["-c:a", "flac"]),
        Case(path: "alac/alac", file: "a.m4a", selector: "a:0", encoding: RoundTripCase.audio + ["-c:a", "alac"]),
        Case(
            path: "Opus/dOps",
            file: "a.mka",
            selector: "a:0",
            encoding: RoundTripCase.surround + ["-c:a", "libopus"]
        ),
    ]

    @Test("The configuration box is the one that ffmpeg writes", arguments: cases)
    func configuration(_ clip: Case) throws {
        let scratch = try ScratchDirectory()
        let path = scratch.path(clip.file)
        try Tool.run("ffmpeg", ["-v", "error"] + clip.encoding + [path])
        let reference = scratch.path("reference.mp4")
        try Tool.run(
            "ffmpeg",
            ["-v", "error", "-i", path, "-map", "0:\(clip.selector)", "-c", "copy", "-strict", "-2", reference]
        )
        let packaged = try PackagedFile(
            SourceStream(path: path, selector: clip.selector, scratch: scratch),
            scratch: scratch
        )
        let box = "moov/trak/mdia/minf/stbl/stsd/\(clip.path)"
        let expected = BoxTree(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: reference)))).payload(box)
        #expect(expected != nil)
        #expect(BoxTree(bytes: InitSegment.bytes(for: packaged.setup.track)).payload(box) == expected)
    }
}
