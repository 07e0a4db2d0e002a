// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineModel
import EngineRuntime
import IPCTestKit
import Testing

@Suite("Frames over the side socket", .timeLimit(.minutes(10)))
struct AttachedFramesTests {
    private static func withRing(_ body: (ScriptedRing, AttachedFrames) async throws -> Void) async throws {
        try await withClient { service, client in
            let ring = try ScriptedRing()
            let ticket = try #require(HandoverTicket(randomBytes(HandoverTicket.byteCount)))
            service.world.withLock { $0.handovers[ticket] = ring }
            let frames = try await client.attachFrames(FramesRequest())
            try await body(ring, frames)
            frames.close()
            while !ring.isOver.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
        }
    }

    private static func bytes(_ frame: Frame?) -> [UInt8]? {
        frame?.withPlane(0) { span in (0..<span.count).map { span[$0] } }
    }

    @Test("the newest frame at or before the playhead is returned, and frames before it are released")
    func newest() async throws {
        try await Self.withRing { ring, frames in
            #expect(frames.newest(at: .seconds(5)) == nil)
            for (slot, sequence) in [(0, 1), (1, 2), (2, 3)] as [(Int, UInt64)] {
                ring.put(slot, sequence, at: Double(sequence))
            }
            // The first frame of a generation is returned wherever the playhead is.
            #expect(frames.newest(at: .seconds(0.5))?.sequence == 1)
            let seen = frames.newest(at: .seconds(2.5))
            #expect(seen?.sequence == 2 && seen?.description.time == .seconds(2))
            #expect(Self.bytes(seen) == [UInt8](repeating: 2, count: 6))
            #expect(ring.released(0) == 1 && ring.released(1) == 0 && ring.released(2) == 0)
            #expect(frames.newest(at: .seconds(2.6)) === seen)
        }
    }

    @Test("the frame on screen stays after a flush until its successor arrives")
    func staysThroughFlush() async throws {
        try await Self.withRing { ring, frames in
            ring.put(0, 1, at: 1)
            ring.put(1, 2, at: 2)
            var shown = frames.newest(at: .seconds(1))
            #expect(shown?.sequence == 1)
            ring.setGeneration(2)
            #expect(frames.newest(at: .seconds(9)) === shown)
            // Frames of the old generation that were never returned are released.
            #expect(ring.released(0) == 0 && ring.released(1) == 2)
            ring.put(2, 3, at: 7, generation: 2)
            shown = frames.newest(at: .seconds(7))
            #expect(shown?.sequence == 3)
            #expect(ring.released(0) == 1)
        }
    }

    @Test("the first frame of a generation that arrives during a call is not released before it is returned")
    func flushedWhileLooking() async throws {
        try await Self.withRing { ring, frames in
            let seen = Locked<UInt64>(0)
            let lost = Locked<UInt64?>(nil)
            let writing = Task.detached {
                for sequence in 1...500 as ClosedRange<UInt64> where lost.withLock({ $0 }) == nil {
                    let slot = Int(sequence % 3)
                    ring.setGeneration(sequence)
                    ring.put(slot, sequence, at: 1, generation: sequence)
                    while seen.withLock({ $0 }) < sequence, lost.withLock({ $0 }) == nil {
                        await Task.yield()
                        guard ring.released(slot) == sequence, seen.withLock({ $0 }) < sequence else { continue }
                        lost.withLock { $0 = sequence }
                    }
                }
                seen.withLock { $0 = .max }
            }
            while seen.withLock({ $0 }) != .max {
                await Task.yield()
                guard let frame = frames.newest(at: .seconds(1)) else { continue }
                seen.withLock { $0 = max($0, frame.sequence) }
            }
            await writing.value
            #expect(lost.withLock { $0 } == nil)
        }
    }

    @Test("a frame that the caller holds is not released, even when a newer one has replaced it")
    func held() async throws {
        try await Self.withRing { ring, frames in
            ring.put(0, 1, at: 1)
            var first = frames.newest(at: .seconds(1))
            ring.put(1, 2, at: 2)
            #expect(frames.newest(at: .seconds(2))?.sequence == 2)
            #expect(Self.bytes(first) == [UInt8](repeating: 1, count: 6) && ring.released(0) == 0)
            first = nil
            #expect(ring.released(0) == 1)
        }
    }

    @Test("all frames arrive in order, each as soon as there is a free slot")
    func inOrder() async throws {
        try await Self.withRing { ring, frames in
            let reading = Task {
                var seen: [UInt64] = []
                while let frame = try await frames.next() { seen.append(frame.sequence) }
                return seen
            }
            for sequence in 1...20 as ClosedRange<UInt64> {
                let slot = Int(sequence % 3)
                while sequence > 3, ring.released(slot) != sequence - 3 { await Task.yield() }
                ring.put(slot, sequence, at: Double(sequence))
                ring.send(HandoverMessage(.news))
            }
            ring.end()
            ring.send(HandoverMessage(.news))
            let seen = try await reading.value
            #expect(seen == Array(1...20))
        }
    }

    @Test(
        "a frame whose planes lie outside the memory is never returned",
        arguments: [
            (UInt64.max, 4, 2, 2), (0, UInt32.max, UInt32.max, 2), (0, 4, 2, 5), (1 << 40, 4, 2, 2),
        ] as [(UInt64, UInt32, UInt32, UInt32)]
    )
    func wrongPlanes(offset: UInt64, stride: UInt32, rows: UInt32, rowBytes: UInt32) async throws {
        try await Self.withRing { ring, frames in
            ring.put(0, 1, at: 1)
            ring.setPlane(0, offset: offset, stride: stride, rows: rows, rowBytes: rowBytes)
            #expect(frames.newest(at: .seconds(1)) == nil)
        }
    }

    @Test("the end of the ring throws its reason", arguments: [(HandoverEnd.session, EngineError.Code.sessionNotFound)])
    func end(reason: HandoverEnd, code: EngineError.Code) async throws {
        try await Self.withRing { ring, frames in
            ring.send(HandoverMessage(.over, value: reason.rawValue))
            await #expect { try await frames.next() } throws: { ($0 as? EngineClientError)?.code == code }
        }
    }
}
