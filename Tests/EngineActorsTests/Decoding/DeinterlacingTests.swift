// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings
@testable import Decoding

@Suite("deinterlacing", .needsFFmpegCommand, .serialized, .timeLimit(.minutes(10)))
struct DeinterlacingTests {
    private func frames(_ path: String, _ rate: Deinterlacer.Rate?) async throws -> [FFmpegOracle.Shown] {
        try await FFmpegOracle(path: path).frames(of: 0, deinterlacing: rate)
    }

    private func fields() throws -> String {
        try #require(CodecClip.all.first { $0.name == "fields.ts" }).path()
    }

    @Test("keeps or doubles the number of frames", arguments: [(.frame, 1), (.field, 2)] as [(Deinterlacer.Rate, Int)])
    func rates(rate: Deinterlacer.Rate, factor: Int) async throws {
        let plain = try await frames(fields(), nil)
        let repaired = try await frames(fields(), rate)
        #expect(plain.contains { $0.isInterlaced })
        #expect(!repaired.contains { $0.isInterlaced })
        #expect(repaired.count == plain.count * factor)
        #expect(zip(repaired, repaired.dropFirst()).allSatisfy { $0.time < $1.time })
        #expect(repaired.first?.time == plain.first?.time)
        let step = 40_000 / Int64(factor)
        #expect(repaired.dropLast().allSatisfy { abs($0.duration.microseconds - step) <= 1 })
    }

    @Test("outputs the same frames as ffmpeg")
    func reference() async throws {
        let path = try fields()
        let expected = try FFmpegOracle(path: path).expectedFrames(
            of: 0,
            ["-vf", "bwdif=mode=send_frame:deint=interlaced"]
        )
        #expect(try await frames(path, .frame).map(\.digest) == expected.map(\.digest))
    }

    @Test("leaves progressive frames unchanged")
    func progressive() async throws {
        let path = try Clip.mp4.path()
        let (plain, repaired) = try await (frames(path, nil), frames(path, .field))
        #expect(plain.map(\.time) == repaired.map(\.time))
        #expect(plain.map(\.digest) == repaired.map(\.digest))
    }
}
