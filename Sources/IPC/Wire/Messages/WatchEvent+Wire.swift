// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension WatchEvent {
    /// - Parameter snapshotFields: the groups included in snapshots.
    package func framed(snapshotFields: StateFields = .all) -> [UInt8] {
        wire(snapshotFields: snapshotFields).framed()
    }

    func wire(snapshotFields: StateFields) -> Proto.WatchEvent {
        var event = Proto.WatchEvent()
        event.sessionID = session?.rawValue ?? ""
        switch self {
        case .snapshot(let state):
            event.revision = state.revision
            event.event = .snapshot(state.wire(snapshotFields))
        case .delta(let change):
            event.revision = change.state.revision
            event.event = .delta(change.wire)
        case .time(let time):
            event.revision = time.revision
            event.event = .time(time.wire)
        case .notice(_, let notice):
            event.event = .notice(notice.wire)
        case .gap(let dropped):
            event.event = .gap(Proto.Gap(dropped: UInt32(clamping: dropped)))
        case .closed(_, let error):
            event.event = .closed(Proto.SessionClosed(error: error?.wire))
        case .seek(_, let seek):
            event.event = .seek(seek.wire)
        case .cue(_, let cue):
            event.event = .cue(cue.wire)
        case .batch(let events):
            let events = events.map { $0.wire(snapshotFields: snapshotFields) }
            event.event = .batch(Proto.EventBatch(events: events))
        }
        return event
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
        let wire = try Proto.WatchEvent(bytes, fieldLimit: .max)
        return try WatchEvent(wire: wire)
    }

    private init?(wire: Proto.WatchEvent) throws(EngineError) {
        let session = SessionID(rawValue: wire.sessionID)
        switch wire.event {
        case .snapshot(let state):
            self = .snapshot(try SessionState(wire: state))
        case .delta(let delta):
            guard let state = delta.state else { return nil }
            let fields = StateFields(known: delta.fields)
            var changed = try SessionState(wire: state)
            // Without the settings, the volume decodes as 0, but its default is 1.
            if !fields.contains(.settings) { changed.volume = 1 }
            self = .delta(StateDelta(fields: fields, state: changed))
        case .time(let time):
            self = .time(TimeEvent(session: session, revision: wire.revision, wire: time))
        case .notice(let notice):
            self = .notice(session, Notice(wire: notice))
        case .gap(let gap):
            self = .gap(dropped: Int(gap.dropped))
        case .closed(let closed):
            self = .closed(session, closed.error.map(EngineError.init(wire:)))
        case .seek(let wire):
            guard let seek = SeekEvent(wire: wire) else { return nil }
            self = .seek(session, seek)
        case .cue(let wire):
            guard let cue = CueEvent(wire: wire) else { return nil }
            self = .cue(session, cue)
        case .batch(let batch):
            let events = try batch.events.map(WatchEvent.init(wire:))
            self = .batch(events.compactMap(\.self))
        case nil: return nil
        }
    }
}

extension StateDelta {
    var wire: Proto.StateDelta {
        Proto.StateDelta(fields: fields.wireNumbers, state: state.wire(fields))
    }
}

extension TimeEvent {
    var wire: Proto.TimeEvent {
        var wire = Proto.TimeEvent()
        wire.positionMicroseconds = position.microseconds
        wire.rate = rate
        wire.monotonicNanoseconds = monotonicNanoseconds
        return wire
    }

    init(session: SessionID, revision: UInt64, wire: Proto.TimeEvent) {
        self.init(
            session: session,
            revision: revision,
            position: MediaTime(microseconds: wire.positionMicroseconds),
            rate: wire.rate,
            monotonicNanoseconds: wire.monotonicNanoseconds
        )
    }
}

extension Notice {
    var wire: Proto.Notice {
        var wire = Proto.Notice()
        wire.severity =
            switch severity {
            case .info: .info
            case .warning: .warning
            }
        wire.code = code
        wire.message = message
        return wire
    }

    init(wire: Proto.Notice) {
        self.init(
            wire.severity == .warning ? .warning : .info,
            wire.code,
            wire.message
        )
    }
}
