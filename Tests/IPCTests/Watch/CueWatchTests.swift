// SPDX-License-Identifier: Apache-2.0

import EngineModel
import IPCTestKit
import Testing

@testable import Server
@testable import Wire

@Suite("Cue events of watches")
struct CueWatchTests {
    private let hub = WatchHub()
    private let session = SessionID(rawValue: "a")

    private func begin(rate: Double = 0) {
        let anchor = PositionAnchor(position: .zero, rate: rate, monotonicNanoseconds: 0, requestedRate: 1)
        hub.note(.changed(SessionState(id: session, source: "/a", url: "", position: anchor), fields: .all))
    }

    private func watch(_ change: (inout WatchOptions) -> Void = { _ in }) -> Watcher {
        var options = WatchOptions(.allSessions, timeInterval: nil)
        change(&options)
        let watcher = Watcher(options: options) {}
        hub.add(watcher)
        return watcher
    }

    private func cues(_ watcher: Watcher, now: Int64 = 0) throws -> [CueEvent] {
        var events: [CueEvent] = []
        while case .event(let framed) = hub.next(for: watcher, now: now) {
            if case .cue(session, let cue)? = try WatchEvent.decoded(Array(framed.dropFirst(5))) { events.append(cue) }
        }
        return events
    }

    private func event(_ stage: CueEvent.Stage, _ cue: Cue) -> CueEvent {
        CueEvent(stage, ofTimeline: cue, on: ScreenCues())
    }

    @Test("the time of an event is on the timeline, and the times of its cue are on the source's own clock")
    func clocks() throws {
        begin()
        let watcher = watch()
        _ = try cues(watcher)
        let cue = CueScript.cue(1)
        let origin = MediaTime.seconds(36_000)
        hub.note(.cued(session, ScreenCues(shown: [cue], origin: origin)))
        hub.note(.cued(session, ScreenCues(origin: origin)))
        hub.note(.cued(session, ScreenCues(shown: [cue], origin: origin)))
        let sent = try #require(try cues(watcher).last)
        #expect(sent.time == cue.start && sent.cue.start == cue.start + origin && sent.cue.id == cue.id)
        #expect(sent.cue.end == cue.end.map { $0 + origin })
    }

    @Test("cues disappear before others appear, and a late watch begins with the cues on screen")
    func comingAndGoing() throws {
        begin()
        let early = watch()
        #expect(try cues(early).isEmpty)
        let (one, two) = (CueScript.cue(1), CueScript.cue(2))
        hub.note(.cued(session, ScreenCues(shown: [one])))
        #expect(try cues(early) == [event(.appeared, one)])
        hub.note(.cued(session, ScreenCues(shown: [two])))
        #expect(try cues(early) == [event(.disappeared, one), event(.appeared, two)])
        #expect(try cues(watch()) == [event(.appeared, two)])
        #expect(try cues(watch { $0.hasCues = false }).isEmpty)
    }

    @Test("a slow watch is sent the cues that are on screen when it reads, and not those that came and went")
    func slowness() throws {
        begin()
        let watcher = watch()
        _ = try cues(watcher)
        for number in 1...500 { hub.note(.cued(session, ScreenCues(shown: [CueScript.cue(number)]))) }
        #expect(try cues(watcher) == [event(.appeared, CueScript.cue(500))])
        hub.note(.cued(session, ScreenCues()))
        #expect(try cues(watcher) == [event(.disappeared, CueScript.cue(500))])
    }

    @Test(
        "a delay shifts the times of events but not of cues, and announced cues are announced again"
    )
    func delayed() throws {
        begin(rate: 1)
        let watcher = watch { $0.cueLead = .seconds(3) }
        let coming = (1...2).map { CueScript.cue($0 * 2) }
        var cues = ScreenCues(upcoming: coming)
        hub.note(.cued(session, cues))
        #expect(try self.cues(watcher) == [event(.ahead, coming[0])])
        cues.delay = .seconds(0.5)
        hub.note(.cued(session, cues))
        #expect(try self.cues(watcher) == [CueEvent(.ahead, coming[0], at: coming[0].start + .seconds(0.5))])
        cues.delay = .seconds(2)
        hub.note(.cued(session, cues))
        #expect(try self.cues(watcher).isEmpty, "now it is too far ahead")
        (cues.shown, cues.upcoming) = ([coming[0]], [])
        hub.note(.cued(session, cues))
        #expect(try self.cues(watcher) == [CueEvent(.appeared, coming[0], at: coming[0].start + .seconds(2))])
    }

    @Test("a cue is announced once, the requested lead before its start, and again after a seek back")
    func ahead() throws {
        begin(rate: 1)
        let watcher = watch { $0.cueLead = .seconds(3) }
        let coming = (1...20).map { CueScript.cue($0 * 2) }
        hub.note(.cued(session, ScreenCues(upcoming: coming)))
        #expect(try cues(watcher) == [event(.ahead, coming[0])])
        #expect(hub.neededIntervals == [.milliseconds(100)])
        #expect(hub.tick(.milliseconds(100)))
        #expect(try cues(watcher, now: 900_000_000).isEmpty)
        #expect(hub.tick(.milliseconds(100)))
        #expect(try cues(watcher, now: 1_000_000_000) == [event(.ahead, coming[1])])
        hub.note(.cued(session, ScreenCues(upcoming: [])))
        _ = try cues(watcher, now: 1_000_000_000)
        hub.note(.cued(session, ScreenCues(upcoming: coming)))
        #expect(try cues(watcher, now: 1_000_000_000) == [event(.ahead, coming[0]), event(.ahead, coming[1])])
    }
}
