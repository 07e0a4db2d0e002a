// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The latest state of every session, and the watches that are sent its changes.
///
/// Changes go in through `note`, `notifyWatches` wakes the watches concerned, and each watch pulls its events through
/// `next` when its connection has room. Pure: no clock, no I/O; the event loop owns it and calls every method.
final class WatchHub {
    enum Next: Equatable {
        /// One event, framed for the stream.
        case event([UInt8])
        /// Events are pending, but belong in a batch that is not due before this time, in nanoseconds of
        /// CLOCK_MONOTONIC.
        case later(Int64)
        /// No event is pending. The hub calls `Watcher.wake` when there is another one.
        case nothing
        /// The session that this watch names has ended, and the watch has been sent its `closed` event.
        case finished
    }

    private(set) var entries: [SessionID: SessionEntry] = [:]
    private var order: [SessionID] = []
    private(set) var defaultSession: SessionID?
    private var watchers = WatcherList()
    /// Changed groups by session that `notifyWatches` has not yet passed to the watches.
    private var unsent: [SessionID: StateFields] = [:]

    var sessionCount: Int { order.count }
    var watcherCount: Int { watchers.count }

    /// The session with this id; `nil` is the default session.
    func entry(_ id: SessionID?) -> SessionEntry? { (id ?? defaultSession).flatMap { entries[$0] } }

    // MARK: Changes

    /// Applies the change immediately, so that `entry` returns the new state. Every watch is sent the change before any
    /// later event, but visiting a thousand watches takes a while, so states are left to `notifyWatches`.
    func note(_ change: EngineChange) {
        if case .changed(let state, let fields) = change { return update(state, fields) }
        notifyWatches()
        switch change {
        case .changed: break
        case .noticed(let session, let notice):
            push(Watcher.RingEntry(.notice(session, notice)), about: session)
        case .seeked(let session, let seek): push(Watcher.RingEntry(.seek(session, seek)), about: session)
        case .cued(let session, let cues): show(cues, in: session)
        case .closed(let session, let error): close(session, error)
        case .defaultSession(let session):
            defaultSession = session
            for watcher in watchers where watcher.options.scope == .defaultSession { follow(session, watcher) }
        }
    }

    /// Schedules cue events for all watches of a session whose cues on screen have changed.
    func markCues(of session: SessionID) {
        for watcher in watchers where watcher.options.hasCues {
            guard let index = watcher.slotIndex(session) else { continue }
            watcher.slots[index].cues.isStale = true
            watcher.signal()
        }
    }

    private func push(_ entry: Watcher.RingEntry, about session: SessionID) {
        for watcher in watchers where watcher.slotIndex(session) != nil { watcher.push(entry) }
    }

    /// Adopts the state in a command's answer, if the session exists and the state is newer.
    func adopt(_ state: SessionState) {
        guard let known = entries[state.id]?.state, state.revision > known.revision else { return }
        update(state, state.changes(since: known))
    }

    private func update(_ state: SessionState, _ fields: StateFields) {
        if let entry = entries[state.id] {
            guard state.revision > entry.state.revision else { return }
            // The observer may have missed states between two events, so all differences count, whatever `fields`
            // contains.
            let changed = fields.union(state.changes(since: entry.state))
            entry.replace(state, changed: changed)
            unsent[state.id, default: []].formUnion(changed)
        } else {
            entries[state.id] = SessionEntry(state)
            order.append(state.id)
            for watcher in watchers where concerns(state.id, watcher) {
                watcher.slots.append(Watcher.Slot(session: state.id))
                watcher.signal()
            }
        }
    }

    var hasUnsent: Bool { !unsent.isEmpty }

    /// Wakes every watch that follows a session of which a requested group has changed.
    func notifyWatches() {
        guard hasUnsent else { return }
        let changes = unsent
        unsent = [:]
        for (session, changed) in changes {
            for watcher in watchers { watcher.note(changed, of: session) }
        }
    }

    private func concerns(_ session: SessionID, _ watcher: Watcher) -> Bool {
        switch watcher.options.scope {
        case .allSessions: true
        case .session(let id): id == session
        case .defaultSession: session == defaultSession
        }
    }

    /// A watch that has been sent a state of the session, or that names the session, always gets its `closed` event,
    /// however slow the watch is. Other watches get it as a droppable notice, so that sessions that come and go cannot
    /// pile up in them.
    private func close(_ session: SessionID, _ error: EngineError?) {
        guard entries.removeValue(forKey: session) != nil else { return }
        order.removeAll { $0 == session }
        if defaultSession == session { defaultSession = nil }
        let end = Watcher.RingEntry(.closed(session, error))
        for watcher in watchers {
            guard let index = watcher.slotIndex(session) else { continue }
            if watcher.slots[index].needsSnapshot && watcher.options.scope != .session(session) {
                watcher.slots.remove(at: index)
                watcher.push(end)
            } else {
                watcher.slots[index].closing = end
                watcher.signal()
            }
        }
    }

    private func follow(_ session: SessionID?, _ watcher: Watcher) {
        watcher.slots.removeAll { $0.session != session && $0.closing == nil }
        guard let session, entries[session] != nil, watcher.slotIndex(session) == nil else { return }
        watcher.slots.append(Watcher.Slot(session: session))
        watcher.signal()
    }

    // MARK: Watches

    func add(_ watcher: Watcher) {
        watchers.add(watcher)
        switch watcher.options.scope {
        case .allSessions: watcher.slots = order.map { Watcher.Slot(session: $0) }
        case .session(let id): watcher.slots = entries[id] == nil ? [] : [Watcher.Slot(session: id)]
        case .defaultSession: follow(defaultSession, watcher)
        }
    }

    func remove(_ watcher: Watcher) { watchers.remove(watcher) }

    // MARK: Time

    /// The intervals at which the event loop must currently call `tick`: for the time events of watches, and for cues
    /// that are announced ahead.
    var neededIntervals: Set<Duration> {
        guard entries.values.contains(where: { $0.isMoving }) else { return [] }
        var intervals: Set<Duration> = []
        for watcher in watchers {
            guard let interval = watcher.options.visitInterval, !intervals.contains(interval) else { continue }
            if watcher.slots.contains(where: { entries[$0.session]?.isMoving ?? false }) { intervals.insert(interval) }
        }
        return intervals
    }

    /// Called when one interval has passed. Returns whether any watch needs another call after the next interval.
    func tick(_ interval: Duration) -> Bool {
        var isNeeded = false
        for watcher in watchers where watcher.options.visitInterval == interval {
            for index in watcher.slots.indices where entries[watcher.slots[index].session]?.isMoving ?? false {
                watcher.slots[index].isTimeDue = watcher.options.timeInterval != nil
                if watcher.options.reportsCuesAhead { watcher.slots[index].cues.isStale = true }
                watcher.signal()
                isNeeded = true
            }
        }
        return isNeeded
    }
}
