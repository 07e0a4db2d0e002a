// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Decoding
@testable import Sessions

@Suite("A frame ring", .timeLimit(.minutes(10)))
struct FrameRingTests {
    /// Loads a source and attaches to its session as a front-end does.
    private static func withRing(
        _ request: FramesRequest,
        _ body: (Engine, FrameRing, RecordingPeer) async throws -> Void
    ) async throws {
        let engine = Engine(configuration: EngineConfiguration())
        _ = try await engine.load(LoadRequest(source: SoftwareClip.mpeg2.path()))
        let ticket = try await engine.attachFrames(request)
        let ring = try #require(engine.claim(ticket) as? FrameRing)
        #expect(engine.claim(ticket) == nil)
        let peer = RecordingPeer()
        ring.begin(peer)
        try await eventually { peer.messages.withLock { !$0.isEmpty } }
        do { try await body(engine, ring, peer) } catch {
            await engine.shutDown()
            throw error
        }
        await engine.shutDown()
    }

    @Test("a front-end on another thread sees every frame, in order, with its time")
    func givesEveryFrame() async throws {
        try await Self.withRing(FramesRequest(slotCount: 3, pace: .everyFrame)) { engine, ring, peer in
            _ = try await engine.perform(CommandRequest(session: nil, command: .player(.play)))
            let memory = ring.memory
            var times: [MediaTime] = []
            while times.count < SoftwareClip.frameCount {
                try Task.checkCancellation()
                let next = UInt64(times.count + 1)
                for slot in 0..<memory.slotCount {
                    let header = memory.headerOffset(of: slot)
                    guard memory.ring.loadAcquiring(at: header) == next else { continue }
                    let time = memory.ring.loadAcquiring(at: header + FrameLayout.Slot.time)
                    times.append(MediaTime(microseconds: Int64(bitPattern: time)))
                    memory.control.storeReleasing(next, at: FrameLayout.Control.released + slot * 8)
                    ring.asked()
                    break
                }
                await Task.yield()
            }
            let steps = zip(times, times.dropFirst()).map { ($1 - $0).microseconds }
            #expect(steps.allSatisfy { abs($0 - 40_000) <= 1 })
            #expect(memory.ring.loadAcquiring(at: FrameLayout.Header.dropped) == 0)
            try await eventually { peer.messages.withLock { $0.contains { $0.kind == .news } } }
        }
    }

    @Test("whatever the control page contains, frames keep arriving, and the ring's header is not damaged")
    func hostilePage() async throws {
        try await Self.withRing(FramesRequest(slotCount: 3)) { engine, ring, _ in
            // Without looping, playback could end before the noise happens to release enough slots.
            _ = try await engine.perform(CommandRequest(session: nil, command: .player(.setLooping(true))))
            _ = try await engine.perform(CommandRequest(session: nil, command: .player(.play)))
            let memory = ring.memory
            let slots = memory.ring.loadAcquiring(UInt32.self, at: FrameLayout.Header.slotCount)
            var noise = SplitMix(state: 3)
            let published = { memory.ring.loadAcquiring(at: FrameLayout.Header.published) }
            while published() < 20 {
                try Task.checkCancellation()
                for place in stride(from: 0, to: FrameLayout.controlBytes, by: 8) {
                    memory.control.storeReleasing(noise.next() % 32, at: place)
                }
                ring.asked()
                await Task.yield()
            }
            #expect(memory.ring.loadAcquiring(UInt32.self, at: FrameLayout.Header.magic) == FrameLayout.magic)
            #expect(memory.ring.loadAcquiring(UInt32.self, at: FrameLayout.Header.slotCount) == slots)
        }
    }

    @Test("a ring ends with its session, and notifies the front-end")
    func endsWithTheSession() async throws {
        try await Self.withRing(FramesRequest()) { engine, ring, peer in
            _ = try await engine.perform(CommandRequest(session: nil, command: .stop))
            try await eventually { peer.isClosed.withLock { $0 } }
            #expect(peer.messages.withLock { $0.last } == HandoverMessage(.over, value: HandoverEnd.session.rawValue))
        }
    }
}
