// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// The latest state of one session, and its encodings. Each encoding is made once and shared by all watchers.
final class SessionEntry {
    private(set) var state: SessionState
    /// The cues on screen and the next ones.
    private(set) var cues = ScreenCues()
    private var cueEvents: [CueEvent.Stage: [UInt64: Watcher.RingEntry]] = [:]
    private var snapshots: [StateFields: [UInt8]] = [:]
    private var deltas: [StateFields: [UInt8]] = [:]
    /// Encodings of the whole state (framed) and of its rarely changing groups (unframed).
    private var response: [UInt8]?
    private var lasting: [UInt8]?
    private var time: (stamp: Int64, bytes: [UInt8])?

    init(_ state: SessionState) { self.state = state }

    var isMoving: Bool { state.position.rate != 0 }

    /// The age, in nanoseconds, up to which an encoded time event is sent to further watchers.
    private static let timeReuse: Int64 = 2_000_000

    /// The groups that rarely change and make up most of a state.
    private static let lastingFields: StateFields = [.identity, .media, .format, .metadata]

    /// - Parameter changed: all groups that differ in the new state.
    func replace(_ state: SessionState, changed: StateFields) {
        self.state = state
        if !changed.isDisjoint(with: Self.lastingFields) { lasting = nil }
        snapshots.removeAll(keepingCapacity: true)
        deltas.removeAll(keepingCapacity: true)
        response = nil
        time = nil
    }

    func show(_ cues: ScreenCues) {
        self.cues = cues
        cueEvents.removeAll(keepingCapacity: true)
    }

    func snapshot(_ fields: StateFields) -> [UInt8] {
        if let bytes = snapshots[fields] { return bytes }
        let bytes = WatchEvent.snapshot(state).framed(snapshotFields: fields)
        snapshots[fields] = bytes
        return bytes
    }

    func delta(_ fields: StateFields) -> [UInt8] {
        if let bytes = deltas[fields] { return bytes }
        let bytes = WatchEvent.delta(StateDelta(fields: fields, state: state)).framed()
        deltas[fields] = bytes
        return bytes
    }

    /// The response to `GetState`.
    func stateResponse() -> [UInt8] {
        if let response { return response }
        let lasting = lasting ?? state.encoded(Self.lastingFields)
        self.lasting = lasting
        // In protobuf, concatenating the encodings of the parts of a message gives an encoding of the whole message.
        let bytes = MessageFraming.framed([lasting, state.encoded(.all.subtracting(Self.lastingFields))])
        response = bytes
        return bytes
    }

    /// The response to a command. Reuses the encoded state if it has the revision of the result.
    func response(to result: CommandResult) -> [UInt8] {
        guard result.state.revision == state.revision else { return result.framed() }
        return result.framed(around: stateResponse().dropFirst(MessageFraming.prefixByteCount))
    }

    /// The event of a cue, encoded once for all watchers.
    func cueEvent(_ stage: CueEvent.Stage, _ cue: Cue) -> Watcher.RingEntry {
        if let event = cueEvents[stage]?[cue.id] { return event }
        let event = Watcher.RingEntry(.cue(state.id, CueEvent(stage, ofTimeline: cue, on: cues)))
        cueEvents[stage, default: [:]][cue.id] = event
        return event
    }

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    func timeEvent(now: Int64) -> [UInt8] {
        if let time, now - time.stamp <= Self.timeReuse { return time.bytes }
        let bytes = WatchEvent.time(time(at: now)).framed()
        time = (now, bytes)
        return bytes
    }

    /// The position of the playhead as an event.
    func time(at now: Int64) -> TimeEvent {
        TimeEvent(
            session: state.id,
            revision: state.revision,
            position: clampedPosition(at: now),
            rate: state.position.rate,
            monotonicNanoseconds: now
        )
    }

    func clampedPosition(at now: Int64) -> MediaTime {
        let position = max(.zero, state.position.position(at: now))
        return state.duration.map { min($0, position) } ?? position
    }
}
