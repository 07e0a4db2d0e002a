// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Bindings
@testable import Decoding
@testable import Reading

/// Memory with a few slots that refuses every third request.
private final class StingyMemory: DecoderMemory {
    private struct State {
        var asked = 0
        var given = 0
    }

    static let slotCount = 12
    static let slotBytes = 1 << 20

    let memory: FrameRingMemory
    private let state = Locked(State())

    init() throws { memory = try FrameRingMemory(slotCount: Self.slotCount, frameBytes: Self.slotBytes) }

    var given: Int { state.withLock { $0.given } }

    func room(for frame: FrameNeed) -> FrameSlot? {
        state.withLock { state in
            state.asked += 1
            guard state.asked % 3 != 0, frame.byteCount <= Self.slotBytes,
                let slot = (0..<Self.slotCount).first(where: { !memory.isLent($0) })
            else { return nil }
            state.given += 1
            return memory.lend(slot)
        }
    }
}

@Suite("frames decoded into a ring's memory", .needsFFmpegCommand, .serialized, .timeLimit(.minutes(10)))
struct FrameAllocationTests {
    @Test("are the same even if some find no room, and free their slots", arguments: CodecClip.all)
    func same(clip: CodecClip) async throws {
        let oracle = FFmpegOracle(path: try clip.path())
        for stream in try await oracle.description().streams where stream.kind == .video {
            let usual = try await oracle.frames(of: stream.index)
            let stingy = try StingyMemory()
            let allocation = FrameAllocation()
            allocation.use(stingy)
            let feed = try PacketFeed(.file(SourceFile.open(oracle.path)), video: stream.index, audio: nil)
            try await feed.enter(at: .zero, generation: 1)
            let decoder = SoftwareVideoDecoder(feed: feed, usesDevices: false, allocation: allocation)
            var found: [FFmpegOracle.Shown] = []
            var inPlace = 0
            while case .some(let some) = try await decoder.next(generation: 1) {
                found += try some.map(FFmpegOracle.Shown.init)
                inPlace += some.count { stingy.memory.place(of: $0.frame) != nil }
            }
            #expect(found.map(\.digest) == usual.map(\.digest))
            #expect(found.map(\.time) == usual.map(\.time))
            // dav1d allocates its own memory.
            #expect(stream.codec == .av1 ? inPlace == 0 : inPlace > 0 && inPlace < found.count)
            await decoder.close()
            #expect(stingy.memory.lentCount == 0)
        }
    }

    @Test(
        "the estimated size of a frame is at least what decoders request",
        arguments: [(320, 180), (1, 1), (1920, 1080), (720, 576), (3840, 2160), (853, 481)]
    )
    func guess(size: (width: Int, height: Int)) {
        // Rows of a multiple of 64 bytes in each plane, blocks of 32 rows, two extra rows for H.264, and padding after
        // each plane.
        let (wide, high) = ((size.width + 127) / 128 * 128, (size.height + 31) / 32 * 32 + 2)
        let planes = [wide * high, wide / 2 * high / 2, wide / 2 * high / 2].map { PlaneLayout.aligned($0 + 128) }
        #expect(PlaneLayout.decodedBytes(width: size.width, height: size.height) >= planes.reduce(0, +))
    }
}
