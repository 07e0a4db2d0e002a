// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

extension WatchEvent {
    /// - Parameter fields: the groups included in snapshots.
    package func framed(snapshotFields: StateFields = .all) -> [UInt8] {
        unsafe encodeFramed { unsafe wire(in: $0, snapshotFields: snapshotFields) }
    }

    func wire(in arena: MessageArena, snapshotFields: StateFields) -> UnsafeMutablePointer<Engine__V1__WatchEvent> {
        let event = unsafe arena.message(Engine__V1__WatchEvent.self)
        unsafe event.pointee.session_id = arena.string(session?.rawValue ?? "")
        switch self {
        case .snapshot(let state):
            unsafe event.pointee.revision = state.revision
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_SNAPSHOT
            unsafe event.pointee.snapshot = state.wire(in: arena, fields: snapshotFields)
        case .delta(let change):
            unsafe event.pointee.revision = change.state.revision
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_DELTA
            unsafe event.pointee.delta = change.wire(in: arena)
        case .time(let time):
            unsafe event.pointee.revision = time.revision
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_TIME
            unsafe event.pointee.time = time.wire(in: arena)
        case .notice(_, let notice):
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_NOTICE
            unsafe event.pointee.notice = notice.wire(in: arena)
        case .gap(let dropped):
            let gap = unsafe arena.message(Engine__V1__Gap.self)
            unsafe gap.pointee.dropped = UInt32(clamping: dropped)
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_GAP
            unsafe event.pointee.gap = gap
        case .closed(_, let error):
            let closed = unsafe arena.message(Engine__V1__SessionClosed.self)
            unsafe closed.pointee.error = error?.wire(in: arena)
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_CLOSED
            unsafe event.pointee.closed = closed
        case .seek(_, let seek):
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_SEEK
            unsafe event.pointee.seek = seek.wire(in: arena)
        case .cue(_, let cue):
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_CUE
            unsafe event.pointee.cue = cue.wire(in: arena)
        case .batch(let events):
            let batch = unsafe arena.message(Engine__V1__EventBatch.self)
            unsafe batch.pointee.n_events = events.count
            unsafe batch.pointee.events = arena.array(events) { event in
                unsafe .some(event.wire(in: arena, snapshotFields: snapshotFields))
            }
            unsafe event.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_BATCH
            unsafe event.pointee.batch = batch
        }
        return unsafe event
    }

    /// The session that the event concerns, if any.
    private var session: SessionID? {
        switch self {
        case .snapshot(let state): state.id
        case .delta(let change): change.state.id
        case .time(let time): time.session
        case .notice(let session, _), .closed(let session, _), .seek(let session, _), .cue(let session, _): session
        case .gap, .batch: nil
        }
    }

    /// `nil` for an event that this build does not know.
    package static func decoded(_ bytes: [UInt8]) throws(EngineError) -> WatchEvent? {
        try unsafe decode(bytes, as: Engine__V1__WatchEvent.self, fieldLimit: .max) { wire throws(EngineError) in
            try unsafe WatchEvent(wire: wire)
        }
    }

    private init?(wire: Engine__V1__WatchEvent) throws(EngineError) {
        let session = SessionID(rawValue: unsafe text(wire.session_id))
        switch unsafe wire.event_case {
        case ENGINE__V1__WATCH_EVENT__EVENT_SNAPSHOT:
            guard let state = unsafe wire.snapshot?.pointee else { return nil }
            self = .snapshot(try unsafe SessionState(wire: state))
        case ENGINE__V1__WATCH_EVENT__EVENT_DELTA:
            guard let delta = unsafe wire.delta?.pointee, let state = unsafe delta.state?.pointee else { return nil }
            let fields = try unsafe StateFields(wire: delta.fields, count: delta.n_fields)
            var changed = try unsafe SessionState(wire: state)
            // An absent number decodes as 0, which is not the default volume.
            if !fields.contains(.settings) { changed.volume = 1 }
            self = .delta(StateDelta(fields: fields, state: changed))
        case ENGINE__V1__WATCH_EVENT__EVENT_TIME:
            guard let time = unsafe wire.time?.pointee else { return nil }
            self = unsafe .time(TimeEvent(session: session, revision: wire.revision, wire: time))
        case ENGINE__V1__WATCH_EVENT__EVENT_NOTICE:
            guard let notice = unsafe wire.notice?.pointee else { return nil }
            self = unsafe .notice(session, Notice(wire: notice))
        case ENGINE__V1__WATCH_EVENT__EVENT_GAP:
            guard let gap = unsafe wire.gap?.pointee else { return nil }
            self = .gap(dropped: Int(unsafe gap.dropped))
        case ENGINE__V1__WATCH_EVENT__EVENT_CLOSED:
            guard let closed = unsafe wire.closed?.pointee else { return nil }
            self = .closed(session, unsafe closed.error.map { unsafe EngineError(wire: $0.pointee) })
        case ENGINE__V1__WATCH_EVENT__EVENT_SEEK:
            guard let seek = unsafe wire.seek.flatMap({ unsafe SeekEvent(wire: $0.pointee) }) else { return nil }
            self = .seek(session, seek)
        case ENGINE__V1__WATCH_EVENT__EVENT_CUE:
            guard let wire = unsafe wire.cue?.pointee, let cue = try unsafe CueEvent(wire: wire) else { return nil }
            self = .cue(session, cue)
        case ENGINE__V1__WATCH_EVENT__EVENT_BATCH:
            guard let batch = unsafe wire.batch?.pointee else { return nil }
            let events = try unsafe values(batch.events, batch.n_events) { event throws(EngineError) in
                try unsafe WatchEvent(wire: event)
            }
            self = .batch(events.compactMap(\.self))
        default: return nil
        }
    }
}

extension StateDelta {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__StateDelta> {
        let wire = unsafe arena.message(Engine__V1__StateDelta.self)
        let numbers = fields.wireNumbers
        unsafe wire.pointee.n_fields = numbers.count
        unsafe wire.pointee.fields = arena.array(numbers) { $0 }
        unsafe wire.pointee.state = state.wire(in: arena, fields: fields)
        return unsafe wire
    }
}

extension TimeEvent {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__TimeEvent> {
        let wire = unsafe arena.message(Engine__V1__TimeEvent.self)
        unsafe wire.pointee.position_us = position.microseconds
        unsafe wire.pointee.rate = rate
        unsafe wire.pointee.monotonic_ns = monotonicNanoseconds
        return unsafe wire
    }

    init(session: SessionID, revision: UInt64, wire: Engine__V1__TimeEvent) {
        unsafe self.init(
            session: session,
            revision: revision,
            position: MediaTime(microseconds: wire.position_us),
            rate: wire.rate,
            monotonicNanoseconds: wire.monotonic_ns
        )
    }
}

extension Notice {
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Engine__V1__Notice> {
        let wire = unsafe arena.message(Engine__V1__Notice.self)
        unsafe wire.pointee.severity =
            switch severity {
            case .info: ENGINE__V1__SEVERITY__SEVERITY_INFO
            case .warning: ENGINE__V1__SEVERITY__SEVERITY_WARNING
            }
        unsafe wire.pointee.code = arena.string(code)
        unsafe wire.pointee.message = arena.string(message)
        return unsafe wire
    }

    init(wire: Engine__V1__Notice) {
        unsafe self.init(
            wire.severity == ENGINE__V1__SEVERITY__SEVERITY_WARNING ? .warning : .info,
            text(wire.code),
            text(wire.message)
        )
    }
}
