// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings
@testable import Decoding
@testable import Reading

@Suite("decoding damaged and unusual sources", .needsFFmpegCommand, .serialized, .timeLimit(.minutes(10)))
struct BadSourcesTests {
    private static let folder = FileManager.default.temporaryDirectory
        .appending(path: "engine-bad-\(UUID().uuidString)")

    private func film(_ name: String, _ bytes: Data) throws -> String {
        try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        let url = Self.folder.appending(path: name)
        try bytes.write(to: url)
        return url.path
    }

    private func made(_ name: String, _ arguments: String) throws -> FFmpegOracle {
        let path = try film(name, Data())
        _ = try FFmpegOracle(path: path).ffmpeg(arguments.split(separator: " ").map(String.init) + [path])
        return FFmpegOracle(path: path)
    }

    /// The number of decoded frames, or the error.
    private func outcome(_ path: String) async -> Result<Int, EngineError> {
        do throws(EngineError) {
            let feed = try PacketFeed(.file(SourceFile.open(path)), video: 0, audio: 1)
            try await feed.enter(at: .zero, generation: 1)
            let (video, audio) = (SoftwareVideoDecoder(feed: feed), SoftwareAudioDecoder(feed: feed))
            var count = 0
            while case .some(let some) = try await video.next(generation: 1) { count += some.count }
            while case .some = try await audio.next(generation: 1) {}
            return .success(count)
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "ends, with frames or with an error",
        arguments: [Clip.mp4, .transportStream, .avi, .matroska],
        0..<4
    )
    func corrupt(clip: Clip, seed: UInt64) async throws {
        var bytes = try Data(contentsOf: URL(filePath: clip.path()))
        var random = SplitMix(state: seed)
        // Leaves the headers intact, so that the source can be opened.
        for _ in 0..<200 {
            let place = Int.random(in: bytes.count / 8..<bytes.count * 7 / 8, using: &random)
            bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
        let path = try film("corrupt-\(seed)-\(clip.rawValue)", bytes)
        if case .success(let count) = await outcome(path) { #expect(count > 100 && count <= 13 * 24 + 24) }
    }

    @Test("decodes a source that does not begin with a keyframe")
    func headless() async throws {
        let bytes = try Data(contentsOf: URL(filePath: Clip.transportStream.path()))
        let path = try film("headless.ts", bytes.dropFirst(bytes.count / 188 / 3 * 188 + 188 * 40))
        let count = try await outcome(path).get()
        #expect(count > 150)
    }

    @Test("fails with a typed error when a decoder outputs no frame")
    func nothing() async throws {
        let bytes = try Data(contentsOf: URL(filePath: Clip.mp4.path()))
        let tag = try #require(bytes.range(of: Data("mdat".utf8)))
        let end = try #require(bytes.range(of: Data("moov".utf8))).lowerBound - 4
        var broken = bytes
        if end > tag.upperBound {
            broken.replaceSubrange(tag.upperBound..<end, with: Data(count: end - tag.upperBound))
        }
        let path = try film("nothing.mp4", broken)
        guard case .failure(let error) = await outcome(path) else {
            Issue.record("zeroes became frames")
            return
        }
        #expect(error.code == .noPlayableStream)
    }

    private static let frameSizes =
        ["1x1", "2x2", "3x1", "1x16384", "16384x16"] + (Tier.current == .long ? ["8192x8192"] : [])

    @Test("outputs frames of any size", arguments: frameSizes)
    func sizes(size: String) async throws {
        let raw = "-f rawvideo -pix_fmt gbrp -s \(size) -r 2 -i /dev/zero -frames:v 2 -c:v ffv1"
        let oracle = try made("\(size).mkv", raw)
        let found = try await oracle.frames(of: 0)
        #expect(try found.map(\.digest) == oracle.expectedFrames(of: 0).map(\.digest))
        #expect(found.count == 2)
    }

    @Test("continues when the size, pixel format, sample rate or channel count changes")
    func changes() async throws {
        let parts = try ["320x240 yuv420p 44100 1", "160x120 yuv422p 48000 2"].enumerated().map { number, words in
            let words = words.split(separator: " ")
            let input = "-f lavfi -i testsrc2=s=\(words[0]):r=25 -f lavfi -i sine=440:r=\(words[2]) -t 2"
            let coding =
                "-pix_fmt \(words[1]) -c:v mpeg2video -g 12 -c:a mp2 -ac \(words[3]) -output_ts_offset \(number * 2)"
            return try made("part-\(number).ts", "\(input) \(coding)")
        }
        let joined = try parts.reduce(Data()) { try $0 + Data(contentsOf: URL(filePath: $1.path)) }
        let oracle = FFmpegOracle(path: try film("joined.ts", joined))
        let frames = try await oracle.frames(of: 0)
        // The engine outputs every frame. The `ffmpeg` command loses the last one before the change (`SequenceWatch`).
        #expect(frames.count == 2 * 2 * 25)
        #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.time < $1.time })
        let pieces = try await oracle.audio(of: 1)
        #expect(Set(pieces.map(\.format.rate)) == [44_100, 48_000])
        #expect(Set(pieces.map(\.format.layout.count)) == [1, 2])
    }
}
