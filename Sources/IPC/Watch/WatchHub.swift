// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// What is known of every session, and who has yet to hear of it.
///
/// Changes go in through `note`, `tell` wakes whom they concern, each watch draws its events through `next` when its
/// connection has room. Pure: no clock, no I/O; the event loop owns it and calls every method.
final class WatchHub {
    enum Next: Equatable {
        /// One event, framed for the stream.
        case event([UInt8])
        /// There is news, but it belongs into a batch that is not due before this moment.
        case later(Int64)
        /// The watch is woken when there is more.
        case nothing
        /// The session this watch named is gone, and that was said.
        case finished
    }

    private(set) var entries: [SessionID: SessionEntry] = [:]
    private var order: [SessionID] = []
    private(set) var defaultSession: SessionID?
    private var watchers = WatcherList()
    /// Groups that changed, by session, of which no watch knows yet.
    private var unsaid: [SessionID: StateFields] = [:]

    var sessionCount: Int { order.count }
    var watcherCount: Int { watchers.count }

    /// The session that `id` stands for; `nil` is the default one.
    func entry(_ id: SessionID?) -> SessionEntry? { (id ?? defaultSession).flatMap { entries[$0] } }

    // MARK: Changes

    /// `entry` knows of the change from now on, and every watch before anything else that it hears. To go through all
    /// watches takes a while with a thousand of them, so it is left to `tell`.
    func note(_ change: EngineChange) {
        if case .changed(let state, let fields) = change { return update(state, fields) }
        tell()
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

    /// What is on the screen of a session has changed.
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

    /// A command's answer carries a state too. It counts only for a session that lives and only when it is newer.
    func learn(_ state: SessionState) {
        guard let known = entries[state.id]?.state, state.revision > known.revision else { return }
        update(state, state.changes(since: known))
    }

    private func update(_ state: SessionState, _ fields: StateFields) {
        if let entry = entries[state.id] {
            guard state.revision > entry.state.revision else { return }
            // What the observer was told between two events counts, whatever the fields say.
            let changed = fields.union(state.changes(since: entry.state))
            entry.replace(state, changed: changed)
            unsaid[state.id, default: []].formUnion(changed)
        } else {
            entries[state.id] = SessionEntry(state)
            order.append(state.id)
            for watcher in watchers where concerns(state.id, watcher) {
                watcher.slots.append(Watcher.Slot(session: state.id))
                watcher.signal()
            }
        }
    }

    var hasUnsaid: Bool { !unsaid.isEmpty }

    /// Every watch that follows a session whose state has changed is woken.
    func tell() {
        guard hasUnsaid else { return }
        let news = unsaid
        unsaid = [:]
        for (session, changed) in news {
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

    /// A watch that has met the session hears of its end however slow it is. One that has not hears of it like of a
    /// notice, so that sessions that come and go cannot pile up in it.
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

    /// The intervals at which some watch has to hear of time now.
    ///
    /// Who wants to hear of cues ahead of time is visited too, to see which are near enough by now.
    var intervalsInNeed: Set<Duration> {
        guard entries.values.contains(where: { $0.isMoving }) else { return [] }
        var intervals: Set<Duration> = []
        for watcher in watchers {
            guard let interval = watcher.options.visitInterval, !intervals.contains(interval) else { continue }
            if watcher.slots.contains(where: { entries[$0.session]?.isMoving ?? false }) { intervals.insert(interval) }
        }
        return intervals
    }

    /// One interval has passed. Returns whether anybody still waits for the next one.
    func tick(_ interval: Duration) -> Bool {
        var isNeeded = false
        for watcher in watchers where watcher.options.visitInterval == interval {
            for index in watcher.slots.indices where entries[watcher.slots[index].session]?.isMoving ?? false {
                watcher.slots[index].isTimeDue = watcher.options.timeInterval != nil
                if watcher.options.hearsAhead { watcher.slots[index].cues.isStale = true }
                watcher.signal()
                isNeeded = true
            }
        }
        return isNeeded
    }
}
