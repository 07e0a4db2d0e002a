// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineModel

@Suite("What a session publishes")
struct SessionStateTests {
    private let state = SessionState(
        id: SessionID(rawValue: "1"),
        source: "/a",
        url: "http://x",
        position: PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
    )

    @Test("`changes(since:)` names exactly the groups that differ")
    func changes() {
        var other = state
        #expect(other.changes(since: state).isEmpty)
        other.revision = 9
        #expect(other.changes(since: state).isEmpty, "a revision is no change by itself")
        other.phase = .playing
        other.position.rate = 1
        #expect(other.changes(since: state) == [.phase, .position])
        other.duration = .seconds(3)
        other.production.cachedBytes = 5
        #expect(other.changes(since: state) == [.phase, .position, .duration, .production])
        other.guide = [ProgramGuide(program: 1, present: ProgramEvent(id: 2))]
        #expect(other.changes(since: state) == [.phase, .position, .duration, .production, .guide])
    }

    @Test("an error is reported to servers, and only a live source is reported as live")
    func report() {
        var state = state
        state.isGrowing = true
        #expect(!PlaybackReport(state, now: 0).isLive)
        state.live = LiveState(edge: .zero, monotonicNanoseconds: 0, latency: .zero, targetLatency: .zero)
        #expect(PlaybackReport(state, now: 0).isLive)
        #expect(PlaybackReport(state, now: 0).state.rawValue == "s")
        state.phase = .error(EngineError(.sourceChanged, ""))
        #expect(PlaybackReport(state, now: 0).state.rawValue == "f")
    }

    @Test("a playhead moves at its rate, starting from its anchor")
    func anchor() {
        let anchor = PositionAnchor(
            position: .seconds(10),
            rate: 2,
            monotonicNanoseconds: 1_000_000_000,
            requestedRate: 2
        )
        #expect(anchor.position(at: 1_500_000_000) == .seconds(11))
    }

    @Test("a position near the largest time saturates", arguments: [0.25, 1, 100, 1e300, .infinity])
    func endOfTime(rate: Double) {
        let anchor = PositionAnchor(
            position: MediaTime(microseconds: .max - 10),
            rate: rate,
            monotonicNanoseconds: 0,
            requestedRate: 1
        )
        #expect(anchor.position(at: 3_600_000_000_000) >= anchor.position)
    }
}
