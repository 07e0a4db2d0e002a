// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sessions

@Suite("The timers of a session", .timeLimit(.minutes(10)))
struct SessionClockTests {
    @Test(
        "a sleeping clock is left alone only if it wakes before the media ends",
        arguments: [(false, 0, true), (false, -1, false), (true, 0, true), (true, -1, false)] as [(Bool, Int64, Bool)]
    )
    func sleep(isEnough: Bool, later: Int64, isEarly: Bool) {
        let end = 10_000_000_000 as Int64
        var clock = SessionClock()
        #expect(!clock.isAsleep)
        #expect(!clock.wakes(before: end))
        clock.begin(SessionClock.Sleep(until: end, isEnough: isEnough, now: 0))
        #expect(clock.isAsleep)
        #expect(clock.wakes(before: end + later) == isEarly)
        #expect(!clock.wakes(before: nil))
        clock.endSleep()
        #expect(!clock.wakes(before: end))
    }

    @Test("more media is requested before the playhead needs it, or 20 ms from now if that is late already")
    func wake() {
        let refill = SessionClock.Sleep.refill
        let cases: [(arrival: Int64, isEnough: Bool, wake: Int64)] = [
            (10_000_000_000, false, 10_000_000_000 - refill), (refill + 1, false, 20_000_000), (5, true, 5),
        ]
        for each in cases {
            #expect(SessionClock.Sleep(until: each.arrival, isEnough: each.isEnough, now: 0).wake == each.wake)
        }
    }

    @Test("a restart ends the sleep and the wait for a plan")
    func restart() {
        var clock = SessionClock()
        clock.begin(SessionClock.Sleep(until: 1, isEnough: true, now: 0))
        clock.awaitPlan()
        #expect(clock.awaitsPlan)
        clock.restart(nil)
        #expect(!clock.isAsleep)
        #expect(!clock.awaitsPlan)
    }

    @Test("the alarm is armed again only for an earlier moment")
    func alarm() {
        var clock = SessionClock()
        let armed = [100, 200, nil, 50, 60].map { (moment: Int64?) -> Int64? in
            let wake = clock.expect(moment)
            if let wake { clock.arm(Task {}, for: wake) }
            return wake
        }
        #expect(armed == [100, nil, nil, 50, nil])
    }

    @Test("an alarm that was replaced does not count, and one that wakes early is not due")
    func woke() {
        var clock = SessionClock()
        for moment: Int64 in [100, 50] {
            if let wake = clock.expect(moment) { clock.arm(Task {}, for: wake) }
        }
        let early = clock.expect(70)
        #expect(early == nil)
        let woken = [100, 50].map { clock.woke(at: $0) }
        #expect(woken == [false, true])
        #expect(!clock.isDue(at: 50))
        #expect(clock.isDue(at: 70))
        let again = clock.woke(at: 50)
        #expect(!again)
        let rearmed = clock.expect(70)
        #expect(rearmed == 70)
    }

    @Test("nothing is due once the alarm is stopped")
    func stopped() {
        var clock = SessionClock()
        if let wake = clock.expect(100) { clock.arm(Task {}, for: wake) }
        clock.stopAlarm()
        #expect(!clock.isDue(at: .max))
    }
}
