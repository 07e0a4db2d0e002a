// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineClient

/// A signal for the clients of the bus.
enum PlayerSignal: Hashable, Sendable {
    /// Exactly the properties that changed.
    case changed([String: DBusValue])
    /// The position in microseconds of a playhead that is not where clients expect it.
    case seeked(Int64)
}

/// The default session as an MPRIS player. Pure: engine events in, properties and signals out.
///
/// `now` is CLOCK_MONOTONIC in nanoseconds everywhere.
struct PlayerModel {
    /// `nil`: no session, or no engine.
    private(set) var state: SessionState?
    private(set) var properties = PlayerProperties()
    private var reported = ReportedPosition()
    private var stopping = Stopping.none

    /// The playhead on the timeline.
    func position(at now: Int64) -> MediaTime {
        guard let state else { return .zero }
        let position = max(.zero, state.position.position(at: now))
        return state.duration.map { min(position, $0) } ?? position
    }

    mutating func apply(_ event: WatchEvent, now: Int64) -> [PlayerSignal] {
        switch event {
        case .snapshot(let state): return replace(state, now: now)
        case .delta(let delta):
            guard var state, state.id == delta.state.id, state.revision < delta.state.revision else { return [] }
            state.apply(delta)
            return replace(state, now: now)
        case .seek(let session, let seek): return session == state?.id ? apply(seek, now: now) : []
        case .batch(let events): return events.flatMap { apply($0, now: now) }
        case .closed(let session, _): return session == state?.id ? replace(nil, now: now) : []
        case .time, .notice, .gap, .cue: return []
        }
    }

    /// Takes the state in the response to a command, if it is newer than the known one.
    mutating func adopt(_ answer: SessionState, now: Int64) -> [PlayerSignal] {
        guard let state, state.id == answer.id, state.revision < answer.revision else { return [] }
        return replace(answer, now: now)
    }

    /// The connection to the engine was lost; its sessions are no longer known.
    mutating func disconnect(now: Int64) -> [PlayerSignal] { replace(nil, now: now) }

    /// A client has requested a stop; `Stopping.commands` follow.
    mutating func stop(now: Int64) -> [PlayerSignal] {
        stopping = .asked
        return replace(state, now: now)
    }

    /// The commands of a stop have finished or failed. If the session plays from now on, the stop failed or a client has
    /// started it again.
    mutating func stopped(now: Int64) -> [PlayerSignal] {
        guard stopping == .asked else { return [] }
        stopping = .reached
        return replace(state, now: now)
    }

    private mutating func replace(_ new: SessionState?, now: Int64) -> [PlayerSignal] {
        let isSameTrack = new?.id == state?.id && new?.source == state?.source
        state = new
        stopping = isSameTrack ? stopping.next(in: new?.phase.name) : .none
        let position = position(at: now)
        let before = properties
        properties =
            new.map { PlayerProperties($0, after: before.status, at: position) } ?? PlayerProperties()
        if stopping != .none { properties.status = .stopped }
        if !isSameTrack { reported.note(.zero, now: now) }
        reported.move(at: properties.status == .playing ? properties.rate : 0, now: now)
        let changes = properties.changes(since: before)
        let signals: [PlayerSignal] = changes.isEmpty ? [] : [.changed(changes)]
        // A seek is announced when it lands.
        guard let new, new.phase != .seeking else { return signals }
        return signals + seeked(position, unlessWithin: ReportedPosition.tolerance, now: now)
    }

    private mutating func apply(_ seek: SeekEvent, now: Int64) -> [PlayerSignal] {
        guard seek.stage == .landed else { return [] }
        return seeked(seek.target, unlessWithin: ReportedPosition.seekTolerance, now: now)
    }

    private mutating func seeked(
        _ position: MediaTime,
        unlessWithin tolerance: MediaTime,
        now: Int64
    ) -> [PlayerSignal] {
        guard reported.isOff(from: position, by: tolerance, now: now) else { return [] }
        reported.note(position, now: now)
        return [.seeked(position.microseconds)]
    }
}
