// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("The events of each watch")
struct WatchHubTests {
    private let hub = WatchHub()

    private func state(_ id: String, revision: UInt64 = 1, rate: Double = 0) -> SessionState {
        let anchor = PositionAnchor(position: .zero, rate: rate, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(id: SessionID(rawValue: id), source: "/\(id)", url: "", position: anchor)
        state.revision = revision
        return state
    }

    private func add(_ state: SessionState) {
        hub.note(.changed(state, fields: .all))
        hub.note(.defaultSession(state.id))
    }

    private func watch(_ options: WatchOptions) -> (Watcher, Counter) {
        let counter = Counter()
        let watcher = Watcher(options: options) { counter.value += 1 }
        hub.add(watcher)
        return (watcher, counter)
    }

    final class Counter { var value = 0 }

    /// All pending events of the watcher, decoded.
    private func drain(_ watcher: Watcher, now: Int64 = 0) throws -> [WatchEvent] {
        var events: [WatchEvent] = []
        while case .event(let framed) = hub.next(for: watcher, now: now) {
            if let event = try WatchEvent.decoded(Array(framed.dropFirst(5))) { events.append(event) }
        }
        return events
    }

    @Test("a batch holds the events of an interval, with one delta per session, and is sent when the interval is over")
    func batches() throws {
        add(state("a"))
        let second: Int64 = 1_000_000_000
        let (watcher, wakes) = watch(WatchOptions(timeInterval: nil, batchInterval: .seconds(1)))
        #expect(try drain(watcher, now: second) == [.batch([.snapshot(state("a"))])])
        let id = SessionID(rawValue: "a")
        for revision in 2...9 {
            var next = state("a", revision: UInt64(revision))
            next.phase = revision % 2 == 0 ? .playing : .paused
            hub.note(.changed(next, fields: .phase))
        }
        let seek = SeekEvent(id: 1, stage: .began, target: .zero)
        hub.note(.seeked(id, seek))
        #expect(wakes.value == 1)
        #expect(hub.next(for: watcher, now: second + 5) == .later(2 * second))
        let events = try drain(watcher, now: 2 * second)
        guard case .batch(let batch)? = events.first, case .delta(let delta)? = batch.first else {
            Issue.record("not a batch with a delta")
            return
        }
        #expect(events.count == 1 && batch.count == 2)
        #expect(delta.state.revision == 9 && delta.fields == .phase)
        #expect(batch.last == .seek(id, seek))
        hub.note(.closed(id, nil))
        #expect(try drain(watcher, now: 9 * second) == [.batch([.closed(id, nil)])])
        #expect(hub.next(for: watcher, now: 9 * second) == .nothing)
    }

    @Test("changes made while a watcher does not read become one delta: the latest state, and every group that changed")
    func coalesces() throws {
        add(state("a"))
        let (watcher, wakes) = watch(WatchOptions(timeInterval: nil))
        #expect(try drain(watcher) == [.snapshot(state("a"))])
        for revision in 2...1000 {
            var next = state("a", revision: UInt64(revision))
            next.phase = revision % 2 == 0 ? .playing : .paused
            next.production.segmentsProduced = UInt64(revision)
            hub.note(.changed(next, fields: [.phase, .production]))
        }
        let events = try drain(watcher)
        #expect(events.count == 1)
        guard case .delta(let delta)? = events.first else {
            Issue.record("not a delta")
            return
        }
        #expect(delta.fields == [.phase, .production])
        #expect(delta.state.revision == 1000 && delta.state.production.segmentsProduced == 1000)
        #expect(wakes.value == 1)
    }

    @Test("groups of fields that change in separate updates are reported in one delta", arguments: [false, true])
    func groups(isNotifiedBetween: Bool) throws {
        add(state("a"))
        let (watcher, _) = watch(WatchOptions(timeInterval: nil))
        _ = try drain(watcher)
        var next = state("a", revision: 2)
        next.phase = .playing
        hub.note(.changed(next, fields: .phase))
        if isNotifiedBetween { hub.notifyWatches() }
        next.revision = 3
        next.volume = 0.5
        hub.note(.changed(next, fields: .settings))
        guard case .delta(let delta)? = try drain(watcher).first else {
            Issue.record("not a delta")
            return
        }
        #expect(delta.fields == [.phase, .settings])
    }

    @Test("a watcher is sent only the groups that it requested")
    func mask() throws {
        add(state("a"))
        let (watcher, wakes) = watch(WatchOptions(timeInterval: nil, fields: .phase))
        _ = try drain(watcher)
        var next = state("a", revision: 2)
        next.production.segmentsProduced = 1
        hub.note(.changed(next, fields: .production))
        #expect(wakes.value == 0)
        #expect(try drain(watcher).isEmpty)
        next.revision = 3
        next.phase = .playing
        hub.note(.changed(next, fields: .phase))
        #expect(try drain(watcher).count == 1)
    }

    @Test("a state that is not newer changes nothing")
    func stale() throws {
        add(state("a", revision: 5))
        let (watcher, _) = watch(WatchOptions(timeInterval: nil))
        _ = try drain(watcher)
        hub.note(.changed(state("a", revision: 5), fields: .all))
        hub.adopt(state("a", revision: 4))
        #expect(try drain(watcher).isEmpty)
        hub.adopt(state("unknown", revision: 9))
        #expect(hub.sessionCount == 1)
    }

    @Test("if too many notices are pending, the newest are kept, and a gap counts the rest")
    func gap() throws {
        add(state("a"))
        let (watcher, _) = watch(WatchOptions(timeInterval: nil))
        _ = try drain(watcher)
        for number in 0..<100 { hub.note(.noticed(SessionID(rawValue: "a"), Notice(.info, "n", "\(number)"))) }
        let events = try drain(watcher)
        #expect(events.first == .gap(dropped: 68))
        #expect(events.count == 33)
        #expect(
            events[1] == .notice(SessionID(rawValue: "a"), Notice(.info, "n", "68")),
            "the last ones, not the first"
        )
        #expect(events.last == .notice(SessionID(rawValue: "a"), Notice(.info, "n", "99")))
    }

    @Test("a watch of the default session moves to the new one, and gets `closed` for a session whose snapshot it got")
    func follows() throws {
        let (watcher, _) = watch(WatchOptions(timeInterval: nil))
        #expect(try drain(watcher).isEmpty)
        add(state("a"))
        #expect(try drain(watcher) == [.snapshot(state("a"))])
        add(state("b"))
        #expect(try drain(watcher) == [.snapshot(state("b"))])
        hub.note(.closed(SessionID(rawValue: "b"), nil))
        hub.note(.defaultSession(SessionID(rawValue: "a")))
        #expect(Set(try drain(watcher)) == [.closed(SessionID(rawValue: "b"), nil), .snapshot(state("a"))])
    }

    @Test("a watch of one session gets `closed` and finishes, even if the session ended before its snapshot was read")
    func finishes() throws {
        add(state("a"))
        let (watcher, _) = watch(WatchOptions(.session(SessionID(rawValue: "a")), timeInterval: nil))
        hub.note(.closed(SessionID(rawValue: "a"), EngineError(.sourceChanged, "gone")))
        #expect(try drain(watcher) == [.closed(SessionID(rawValue: "a"), EngineError(.sourceChanged, "gone"))])
        #expect(hub.next(for: watcher, now: 0) == .finished)
    }

    @Test("sessions that come and go do not pile up in a watcher that does not read")
    func churn() throws {
        let (watcher, _) = watch(WatchOptions(.allSessions, timeInterval: nil))
        _ = try drain(watcher)
        for number in 0..<10_000 {
            add(state("s\(number)"))
            hub.note(.closed(SessionID(rawValue: "s\(number)"), nil))
        }
        #expect(watcher.slots.isEmpty)
        let events = try drain(watcher)
        #expect(events.count == Watcher.ringCapacity + 1)
        #expect(events.first == .gap(dropped: 10_000 - Watcher.ringCapacity))
    }

    @Test("time events are sent only while the playhead moves; positions follow from the anchor, within the duration")
    func time() throws {
        var moving = state("a", rate: 2)
        moving.duration = .seconds(10)
        add(moving)
        let (watcher, _) = watch(WatchOptions(timeInterval: .milliseconds(100)))
        _ = try drain(watcher)
        #expect(hub.neededIntervals == [.milliseconds(100)])
        #expect(hub.tick(.milliseconds(100)))
        let second: Int64 = 1_000_000_000
        let expected = TimeEvent(
            session: moving.id,
            revision: 1,
            position: .seconds(2),
            rate: 2,
            monotonicNanoseconds: second
        )
        #expect(try drain(watcher, now: second) == [.time(expected)])
        _ = hub.tick(.milliseconds(100))
        guard case .time(let last)? = try drain(watcher, now: 100 * second).first else {
            Issue.record("no time event")
            return
        }
        #expect(last.position == .seconds(10))
        var resting = moving
        resting.revision = 2
        resting.position.rate = 0
        _ = hub.tick(.milliseconds(100))
        hub.note(.changed(resting, fields: .position))
        #expect(try drain(watcher, now: second).count == 1, "no time event is sent although one was due")
        #expect(hub.neededIntervals.isEmpty)
        #expect(!hub.tick(.milliseconds(100)))
    }

    @Test("watchers that requested the same groups of fields share the encoded bytes")
    func shared() {
        add(state("a"))
        let (one, _) = watch(WatchOptions(timeInterval: nil))
        let (other, _) = watch(WatchOptions(timeInterval: nil))
        guard case .event(let first) = hub.next(for: one, now: 0),
            case .event(let second) = hub.next(for: other, now: 0)
        else {
            Issue.record("no snapshots")
            return
        }
        let isShared = first.span.isIdentical(to: second.span)
        #expect(isShared)
    }
}
