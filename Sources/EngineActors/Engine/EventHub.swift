// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// Tells observers of every change, in one order for all of them.
///
/// Thread-safety: safe. Observers are called under a lock and only note what they hear, as their protocol says.
package final class EventHub: Sendable {
    private struct Content {
        var observers: [any EngineObserver] = []
        var states: [SessionID: SessionState] = [:]
        var order: [SessionID] = []
        var defaultSession: SessionID?

        func tell(_ change: EngineChange) {
            for observer in observers { observer.receive(change) }
        }
    }

    private let content = Locked(Content())

    package init() {}

    /// Adds an observer; it hears of every session that exists first.
    package func add(_ observer: any EngineObserver) {
        content.withLock { content in
            for id in content.order {
                if let state = content.states[id] { observer.receive(.changed(state, fields: .all)) }
            }
            observer.receive(.defaultSession(content.defaultSession))
            content.observers.append(observer)
        }
    }

    /// The observer hears nothing any more once this has returned.
    package func remove(_ observer: any EngineObserver) {
        content.withLock { content in content.observers.removeAll { $0 === observer } }
    }

    /// A session exists from now on, and is the default one.
    package func open(_ state: SessionState) {
        content.withLock { content in
            content.states[state.id] = state
            content.order.append(state.id)
            content.defaultSession = state.id
            content.tell(.changed(state, fields: .all))
            content.tell(.defaultSession(state.id))
        }
    }

    /// Publishes what differs from the state before, under the next revision. Nothing happens when nothing differs, or
    /// when the session is closed already.
    ///
    /// - Returns: the state as it stands now.
    @discardableResult
    package func update(_ id: SessionID, _ change: @Sendable (inout SessionState) -> Void) -> SessionState? {
        content.withLock { content in
            guard let before = content.states[id] else { return nil }
            var after = before
            change(&after)
            let fields = after.changes(since: before)
            guard !fields.isEmpty else { return before }
            after.revision = before.revision + 1
            content.states[id] = after
            content.tell(.changed(after, fields: fields))
            return after
        }
    }

    package func notice(_ id: SessionID, _ notice: Notice) {
        content.withLock { content in
            guard content.states[id] != nil else { return }
            content.tell(.noticed(id, notice))
        }
    }

    package func seek(_ id: SessionID, _ event: SeekEvent) {
        content.withLock { content in
            guard content.states[id] != nil else { return }
            content.tell(.seeked(id, event))
        }
    }

    package func cues(_ id: SessionID, _ cues: ScreenCues) {
        content.withLock { content in
            guard content.states[id] != nil else { return }
            content.tell(.cued(id, cues))
        }
    }

    /// A session begins anew with another source, and is the default one from now on.
    package func reopen(_ id: SessionID, _ change: @Sendable (inout SessionState) -> Void) {
        update(id, change)
        content.withLock { content in
            guard content.states[id] != nil, content.defaultSession != id else { return }
            content.order.removeAll { $0 == id }
            content.order.append(id)
            content.defaultSession = id
            content.tell(.defaultSession(id))
        }
    }

    /// The session is gone. The one loaded before it becomes the default.
    package func close(_ id: SessionID, because error: EngineError?) {
        content.withLock { content in
            guard content.states.removeValue(forKey: id) != nil else { return }
            content.order.removeAll { $0 == id }
            content.tell(.closed(id, error))
            guard content.defaultSession == id else { return }
            content.defaultSession = content.order.last
            content.tell(.defaultSession(content.defaultSession))
        }
    }

    /// The state of a session, or of the default one.
    package func state(of id: SessionID?) -> SessionState? {
        content.withLock { content in (id ?? content.defaultSession).flatMap { content.states[$0] } }
    }

    package var sessions: (sessions: [SessionState], defaultSession: SessionID?) {
        content.withLock { content in (content.order.compactMap { content.states[$0] }, content.defaultSession) }
    }
}
