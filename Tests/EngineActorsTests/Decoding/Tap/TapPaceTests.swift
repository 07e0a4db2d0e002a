// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("Where and when a tap reads", .timeLimit(.minutes(10)))
struct TapPaceTests {
    private static func anchor(_ seconds: Double, rate: Double = 1, at now: Int64 = 0) -> PositionAnchor {
        PositionAnchor(position: .seconds(seconds), rate: rate, monotonicNanoseconds: now, requestedRate: 1)
    }

    private static let second: Int64 = 1_000_000_000

    @Test("a tap begins at the playhead, and waits once the delivered audio is further ahead than the lead")
    func lead() {
        var pace = TapPace(.playhead(lead: .seconds(0.5)))
        let anchor = Self.anchor(10)
        #expect(pace.step(anchor, jumps: 0, isEntered: false, at: 0) == .enter(.seconds(10), skipped: .zero))
        #expect(pace.step(anchor, jumps: 0, isEntered: true, at: 0) == .give)
        pace.gave(to: .seconds(10.5))
        #expect(pace.step(anchor, jumps: 0, isEntered: true, at: 0) == .give)
        pace.gave(to: .seconds(10.75))
        #expect(pace.step(anchor, jumps: 0, isEntered: true, at: 0) == .wait(until: Self.second / 4))
        #expect(pace.step(anchor, jumps: 0, isEntered: true, at: Self.second / 4) == .give)
    }

    @Test("at another rate, the lead is measured on the timeline")
    func rate() {
        var pace = TapPace(.playhead(lead: .seconds(0.5)))
        let anchor = Self.anchor(0, rate: 2)
        _ = pace.step(anchor, jumps: 0, isEntered: false, at: 0)
        pace.gave(to: .seconds(1.5))
        #expect(pace.step(anchor, jumps: 0, isEntered: true, at: 0) == .wait(until: Self.second / 2))
    }

    @Test("the tap sets no alarm for audio with an extreme time")
    func farAway() {
        var pace = TapPace(.playhead(lead: .seconds(0.5)))
        _ = pace.step(Self.anchor(0), jumps: 0, isEntered: false, at: 0)
        pace.gave(to: MediaTime(microseconds: .max))
        #expect(pace.step(Self.anchor(0, rate: 0.25), jumps: 0, isEntered: true, at: 0) == .wait(until: nil))
    }

    @Test("while the playhead stands still, no audio is delivered")
    func paused() {
        var pace = TapPace(.playhead(lead: .seconds(0.5)))
        #expect(pace.step(Self.anchor(3, rate: 0), jumps: 0, isEntered: false, at: 0) == .wait(until: nil))
        _ = pace.step(Self.anchor(3), jumps: 0, isEntered: false, at: 0)
        pace.gave(to: .seconds(3.1))
        #expect(pace.step(Self.anchor(3.1, rate: 0), jumps: 0, isEntered: true, at: 0) == .wait(until: nil))
        #expect(pace.step(Self.anchor(3.1), jumps: 0, isEntered: true, at: 0) == .give)
    }

    @Test("after any jump, even a short one, the tap reads at the playhead")
    func jump() {
        var pace = TapPace(.playhead(lead: .seconds(0.5)))
        _ = pace.step(Self.anchor(3), jumps: 0, isEntered: false, at: 0)
        pace.gave(to: .seconds(3.4))
        #expect(pace.step(Self.anchor(3.2, rate: 0), jumps: 1, isEntered: true, at: 0) == .wait(until: nil))
        #expect(pace.step(Self.anchor(3.2), jumps: 1, isEntered: true, at: 0) == .enter(.seconds(3.2), skipped: .zero))
        #expect(pace.step(Self.anchor(3.2), jumps: 1, isEntered: true, at: 0) == .give)
    }

    @Test("after a jump that is noticed less than 2 s late, no sample is missing; another track begins at the playhead")
    func landing() {
        var pace = TapPace(.playhead(lead: .seconds(0.5)))
        let (begun, later) = (Self.anchor(3), Self.second / 10)
        let enter = pace.step(begun, jumps: 0, landing: .seconds(3), isEntered: false, at: later)
        #expect(enter == .enter(.seconds(3), skipped: .zero))
        pace.gave(to: .seconds(3.4))
        pace.interrupted()
        let other = pace.step(begun, jumps: 0, landing: .seconds(3), isEntered: false, at: later)
        #expect(other == .enter(.seconds(3.1), skipped: .zero))
        let wrapped = pace.step(Self.anchor(0.01), jumps: 1, landing: .zero, isEntered: true, at: later)
        #expect(wrapped == .enter(.zero, skipped: .zero))
        let late = pace.step(begun, jumps: 2, landing: .seconds(3), isEntered: true, at: 3 * Self.second)
        #expect(late == .enter(.seconds(6), skipped: .zero))
    }

    @Test("audio more than two seconds behind the playhead is skipped, and reported as skipped")
    func slow() {
        var pace = TapPace(.playhead(lead: .seconds(0.5)))
        let anchor = Self.anchor(0)
        _ = pace.step(anchor, jumps: 0, isEntered: false, at: 0)
        pace.gave(to: .seconds(1))
        #expect(pace.step(anchor, jumps: 0, isEntered: true, at: 3 * Self.second) == .give)
        let late = pace.step(anchor, jumps: 0, isEntered: true, at: 5 * Self.second)
        #expect(late == .enter(.seconds(5), skipped: .seconds(4)))
    }

    @Test("at the end, a tap at the playhead waits for the session's next change; a free tap is finished")
    func end() {
        var pace = TapPace(.playhead(lead: .seconds(0.5)))
        _ = pace.step(Self.anchor(3), jumps: 0, isEntered: false, at: 0)
        pace.ended()
        #expect(pace.step(Self.anchor(3), jumps: 0, isEntered: true, at: 0) == .wait(until: nil) && !pace.isFinished)
        #expect(pace.step(Self.anchor(0), jumps: 1, isEntered: true, at: 0) == .enter(.zero, skipped: .zero))
        var free = TapPace(.free(from: .seconds(2)))
        #expect(
            free.step(Self.anchor(0, rate: 0), jumps: 0, isEntered: false, at: 0) == .enter(.seconds(2), skipped: .zero)
        )
        #expect(free.step(Self.anchor(0, rate: 0), jumps: 3, isEntered: true, at: 0) == .give)
        free.gave(to: .seconds(7))
        free.interrupted()
        #expect(
            free.step(Self.anchor(0, rate: 0), jumps: 3, isEntered: false, at: 0) == .enter(.seconds(7), skipped: .zero)
        )
        free.ended()
        #expect(free.isFinished)
    }
}
