// SPDX-License-Identifier: Apache-2.0

import EngineRuntime
import Testing

@testable import Sessions

@Suite("Sessions that crash the engine's process")
struct CrashHistoryTests {
    private typealias Case = (
        ending: CrashHistory.Ending, activity: CrashHistory.Activity, isOpeningAnywhere: Bool, crashes: Int, kills: Int
    )

    @Test("A crash is attributed by how the process ended and what the session was doing")
    func blame() {
        let cases: [Case] = [
            (.clean, .opening, true, 0, 0),
            (.killed, .opening, true, 0, 1), (.killed, .playing, false, 0, 0), (.killed, .resting, false, 0, 0),
            (.crashed(tag: 7), .resting, true, 1, 0), (.crashed(tag: 7), .playing, true, 1, 0),
            (.crashed(tag: 8), .opening, true, 0, 0), (.crashed(tag: 8), .playing, false, 0, 0),
            (.crashed(tag: 0), .opening, true, 1, 0), (.crashed(tag: 0), .playing, true, 0, 0),
            (.crashed(tag: 0), .playing, false, 1, 0), (.crashed(tag: 0), .resting, false, 0, 0),
            (.crashed(tag: CrashTag.noSession), .opening, true, 0, 0),
            (.crashed(tag: CrashTag.noSession), .playing, false, 0, 0),
        ]
        for each in cases {
            var history = CrashHistory()
            history.ended(
                each.ending,
                each.activity,
                tag: 7,
                isOpeningAnywhere: each.isOpeningAnywhere,
                at: 10_000
            )
            #expect((history.crashes, history.killedOpenings) == (each.crashes, each.kills), "\(each)")
            #expect(history.restoring == (each.crashes + each.kills > 0 ? .afterTheOthers : .atOnce), "\(each)")
        }
    }

    @Test("Two crashes within an hour ban a source; a source that opens starts a new count of kills")
    func limit() {
        func crash(_ history: inout CrashHistory, at now: Int64) {
            history.ended(.crashed(tag: 1), .playing, tag: 1, isOpeningAnywhere: false, at: now)
        }
        var history = CrashHistory()
        crash(&history, at: 10_000)
        crash(&history, at: 10_000 + CrashHistory.memory + 1)
        #expect(history.crashes == 1 && history.restoring == .afterTheOthers, "too far apart")
        crash(&history, at: 10_000 + 2 * CrashHistory.memory)
        #expect(history.restoring == .onlyWhenAsked)
        var killed = CrashHistory()
        for isOpen in [true, false] {
            killed.ended(.killed, .opening, tag: 1, isOpeningAnywhere: true, at: 1)
            if isOpen { killed.opened() }
        }
        #expect(killed.restoring == .afterTheOthers)
        killed.ended(.killed, .opening, tag: 1, isOpeningAnywhere: true, at: 1)
        #expect(killed.restoring == .onlyWhenAsked)
        var last = CrashHistory.lastTry(at: 10_000)
        #expect(last.restoring == .afterTheOthers)
        crash(&last, at: 10_001)
        #expect(last.restoring == .onlyWhenAsked, "asked for again, it is tried once")
    }

    @Test("After many crashes within a minute, a start waits, so that a service manager's limit is not reached")
    func pace() {
        func pause(_ times: [Int64]) -> Duration {
            var crashes = RecentCrashes([0, .min, .max, 20_000])
            for time in times { crashes.note(at: time) }
            return crashes.pause(at: 10_000)
        }
        #expect(pause([]) == .zero && pause([9_990, 9_991, 9_992]) == .zero)
        #expect(pause([9_990, 9_990, 9_991, 9_992]) == .seconds(5))
        #expect(pause([9_000, 9_941, 9_942, 9_992, 10_000]) == .seconds(5), "59 s ago")
        #expect(pause([9_940, 9_941, 9_992, 9_993]) == .zero, "a minute ago")
        #expect(pause([9_991, 9_992, 9_993, 10_001]) == .zero, "the clock was set back")
    }
}
