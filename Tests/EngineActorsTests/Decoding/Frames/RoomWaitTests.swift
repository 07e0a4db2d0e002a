// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("Frames that find no slot")
struct RoomWaitTests {
    private static let second: Int64 = 1_000_000_000

    @Test(
        "a display's frame waits until it is due",
        arguments: [(nil, .wait(until: nil)), (11, .wait(until: 11)), (10, .drop), (9, .drop)]
            as [(Int64?, RoomWait.Verdict)]
    )
    func due(moment: Int64?, expected: RoomWait.Verdict) {
        var wait = RoomWait(.realTime)
        #expect(wait.isForDisplay)
        let verdict = wait.decide(moment, isStill: false, at: 10)
        #expect(verdict == expected)
        #expect(wait.isForDisplay == (expected != .drop))
    }

    @Test("after a frame was dropped, others are dropped at once until there is room")
    func dropping() {
        var wait = RoomWait(.realTime)
        _ = wait.decide(0, isStill: false, at: 10)
        wait.setAwaited(true)
        let (later, still) = (wait.decide(90, isStill: false, at: 10), wait.decide(0, isStill: true, at: 10))
        #expect(later == .drop && still == .drop)
        wait.end()
        let next = wait.decide(90, isStill: false, at: 10)
        #expect(next == .wait(until: 90))
    }

    @Test("while the playhead stands still, the ring looks for room every 10 ms, for 2 s")
    func still() {
        var wait = RoomWait(.realTime)
        let times = [0, 1_000_000_000, 1_999_999_999, 2_000_000_000] as [Int64]
        let verdicts = times.map { wait.decide(0, isStill: true, at: $0) }
        let polls = times.dropLast().map { RoomWait.Verdict.wait(until: $0 + 10_000_000) }
        #expect(verdicts == polls + [.wait(until: nil)])
        wait.setAwaited(false)
        let again = wait.decide(0, isStill: true, at: 2 * Self.second)
        #expect(again == .wait(until: 2_010_000_000), "the measurement has begun again")
    }

    @Test("a front-end that wants every frame has 10 s if other sinks wait for it, and unlimited time if not")
    func stalled() {
        var wait = RoomWait(.everyFrame)
        #expect(!wait.isForDisplay)
        let alone = wait.decide(0, isStill: false, at: 1 << 60)
        #expect(alone == .wait(until: nil))
        wait.setAwaited(true)
        let start = 5 * Self.second
        let end = start + RoomWait.patience
        let verdicts = [start, end - 1, end].map { wait.decide(0, isStill: false, at: $0) }
        #expect(verdicts == [.wait(until: end), .wait(until: end), .stalled])
        wait.end()
        let after = wait.decide(0, isStill: false, at: end)
        #expect(after == .wait(until: end + RoomWait.patience))
    }
}
