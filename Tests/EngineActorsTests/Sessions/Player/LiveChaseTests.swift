// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("Chasing the live edge")
struct LiveChaseTests {
    private func observation(
        _ latency: Double,
        target: Double = 4,
        rate: Double = 1,
        isPlaying: Bool = true
    ) -> LiveChase.Observation {
        LiveChase.Observation(latency: .seconds(latency), target: .seconds(target), rate: rate, isPlaying: isPlaying)
    }

    @Test("off does nothing")
    func off() {
        var chase = LiveChase(.off)
        #expect(chase.update(observation(100)) == .none && chase.update(nil) == .none)
    }

    @Test("speed plays at 1.1 from more than 10 s behind the edge to 5 s, and never closer than the target latency")
    func speed() {
        var chase = LiveChase(.speed)
        let steps: [(Double, LiveChase.Action)] = [
            (9, .none), (10, .none), (10.1, .rate(1.1)), (8, .none), (5.1, .none), (5, .rate(1)), (9.9, .none),
        ]
        var rate = 1.0
        for (latency, expected) in steps {
            let action = chase.update(observation(latency, rate: rate))
            #expect(action == expected, "\(latency)")
            if case .rate(let next) = action { rate = next }
        }
        // An HLS source with long segments.
        var far = LiveChase(.speed)
        #expect(
            far.update(observation(22, target: 18)) == .none && far.update(observation(23.5, target: 18)) == .rate(1.1)
        )
        #expect(far.update(observation(18, target: 18, rate: 1.1)) == .rate(1))
    }

    @Test("skip seeks to the target latency when playback is more than 10 s behind the edge")
    func skip() {
        var chase = LiveChase(.skip)
        #expect(chase.update(observation(9)) == .none && chase.update(observation(11)) == .seek)
        #expect(chase.update(observation(4)) == .none)
    }

    @Test(
        "precise plays at 0.97 to 1.03, in steps of a hundredth, and skips when it is far behind",
        arguments: [
            (4, .none), (4.2, .none), (4.6, .rate(1.01)), (5, .rate(1.02)), (8, .rate(1.03)), (3, .rate(0.98)),
            (0, .rate(0.97)),
            (10.5, .seek),
        ] as [(Double, LiveChase.Action)]
    )
    func precise(latency: Double, expected: LiveChase.Action) {
        var chase = LiveChase(.precise)
        #expect(chase.update(observation(latency)) == expected)
    }

    @Test("a paused session does not chase the edge until it plays again")
    func paused() {
        var chase = LiveChase(.speed)
        #expect(chase.update(observation(30, isPlaying: false)) == .none)
        #expect(chase.update(observation(31)) == .rate(1.1))
        #expect(
            chase.update(observation(31, rate: 1.1, isPlaying: false)) == .rate(1),
            "it does not rest with another rate"
        )
    }

    @Test("a user who goes back is left alone until playback is near the edge, and one with another rate until it is 1")
    func users() {
        var chase = LiveChase(.speed)
        chase.moved(to: .seconds(60), target: .seconds(4))
        #expect(chase.update(observation(60)) == .none && chase.update(observation(61)) == .none)
        chase.moved(to: .seconds(4), target: .seconds(4))
        #expect(chase.update(observation(4)) == .none && chase.update(observation(11)) == .rate(1.1))
        #expect(chase.update(observation(12, rate: 0.5)) == .none && chase.update(observation(13, rate: 0.5)) == .none)
        #expect(chase.update(observation(14)) == .rate(1.1))
    }

    @Test("the rate is 1 again when the source has ended")
    func ends() {
        var chase = LiveChase(.speed)
        #expect(chase.update(observation(11)) == .rate(1.1))
        #expect(chase.update(nil) == .rate(1) && chase.update(nil) == .none)
    }
}
