// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sessions

@Suite("The timers of a session", .timeLimit(.minutes(10)))
struct SessionClockTests {
    @Test(
        "a sleeping clock is left alone only if it wakes before the media ends",
        arguments: [
            (900, 100, 1000, true), (900, 101, 1000, false), (1100, 0, 1000, false), (900, 100, nil, false),
        ] as [(Int64, Int64, Int64?, Bool)]
    )
    func sleep(wake: Int64, lead: Int64, arrival: Int64?, isEarly: Bool) {
        var clock = SessionClock()
        #expect(!clock.isAsleep)
        #expect(!clock.wakes(before: arrival))
        clock.begin(SessionClock.Sleep(wake: wake, lead: lead))
        #expect(clock.isAsleep)
        #expect(clock.wakes(before: arrival) == isEarly)
        clock.endSleep()
        #expect(!clock.wakes(before: arrival))
    }

    @Test("a restart ends the sleep and the wait for a plan")
    func restart() {
        var clock = SessionClock()
        clock.begin(SessionClock.Sleep(wake: 1, lead: 0))
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
