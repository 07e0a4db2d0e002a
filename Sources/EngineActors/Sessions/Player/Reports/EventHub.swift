// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// Sends every change to the observers, in the same order for all of them.
///
/// Thread-safety: safe. Observers are called under a lock; as their protocol requires, they only note the change and
/// return.
package final class EventHub: Sendable {
    /// The right of a source to publish the state and the notices of a session. It ends for good when another source
    /// is loaded into the session, or when the session is closed.
    package final class Channel: Sendable {
        package init() {}
    }

    private struct Content {
        var observers: [any EngineObserver] = []
        var states: [SessionID: SessionState] = [:]
        var channels: [SessionID: Channel] = [:]
        var order: [SessionID] = []
        var defaultSession: SessionID?

        func notify(_ change: EngineChange) {
            for observer in observers { observer.receive(change) }
        }

        mutating func update(_ id: SessionID, _ change: (inout SessionState) -> Void) -> SessionState? {
            guard let before = states[id] else { return nil }
            var after = before
            change(&after)
            let fields = after.changes(since: before)
            guard !fields.isEmpty else { return before }
            after.revision = before.revision + 1
            states[id] = after
            notify(.changed(after, fields: fields))
            return after
        }
    }

    private let content = Locked(Content())

    package init() {}

    /// Adds an observer. It first receives the state of every session that exists, and the default session.
    package func add(_ observer: any EngineObserver) {
        content.withLock { content in
            for id in content.order {
                if let state = content.states[id] { observer.receive(.changed(state, fields: .all)) }
            }
            observer.receive(.defaultSession(content.defaultSession))
            content.observers.append(observer)
        }
    }

    /// Removes an observer. It receives nothing more once this has returned.
    package func remove(_ observer: any EngineObserver) {
        content.withLock { content in content.observers.removeAll { $0 === observer } }
    }

    /// Adds a session, which publishes through `channel`, and makes it the default.
    package func open(_ state: SessionState, _ channel: Channel) {
        content.withLock { content in
            content.states[state.id] = state
            content.channels[state.id] = channel
            content.order.append(state.id)
            content.defaultSession = state.id
            content.notify(.changed(state, fields: .all))
            content.notify(.defaultSession(state.id))
        }
    }

    /// Publishes the fields that `change` changes, under the next revision. Does nothing if nothing changes, or if the
    /// session is already closed.
    ///
    /// - Returns: the current state; `nil` if the session is closed.
    @discardableResult
    package func update(_ id: SessionID, _ change: @Sendable (inout SessionState) -> Void) -> SessionState? {
        content.withLock { content in content.update(id, change) }
    }

    /// Publishes changes as above, from the source of a session. Does nothing if another source has been loaded into
    /// the session.
    func update(_ id: SessionID, from channel: Channel, _ change: @Sendable (inout SessionState) -> Void) {
        content.withLock { content in
            guard content.channels[id] === channel else { return }
            _ = content.update(id, change)
        }
    }

    package func notice(_ id: SessionID, _ notice: Notice) {
        content.withLock { content in
            guard content.states[id] != nil else { return }
            content.notify(.noticed(id, notice))
        }
    }

    /// Publishes a notice from the source of a session. Does nothing if another source has been loaded into the
    /// session.
    func notice(_ id: SessionID, from channel: Channel, _ notice: Notice) {
        content.withLock { content in
            guard content.channels[id] === channel else { return }
            content.notify(.noticed(id, notice))
        }
    }

    package func seek(_ id: SessionID, _ event: SeekEvent) {
        content.withLock { content in
            guard content.states[id] != nil else { return }
            content.notify(.seeked(id, event))
        }
    }

    package func cues(_ id: SessionID, _ cues: ScreenCues) {
        content.withLock { content in
            guard content.states[id] != nil else { return }
            content.notify(.cued(id, cues))
        }
    }

    /// Restarts a session with another source, which publishes through `channel`, and makes it the default.
    package func reopen(_ id: SessionID, _ channel: Channel, _ change: @Sendable (inout SessionState) -> Void) {
        content.withLock { content in
            guard content.update(id, change) != nil else { return }
            content.channels[id] = channel
            guard content.defaultSession != id else { return }
            content.order.removeAll { $0 == id }
            content.order.append(id)
            content.defaultSession = id
            content.notify(.defaultSession(id))
        }
    }

    /// Removes a session. If it was the default, the most recently loaded remaining session becomes the default.
    package func close(_ id: SessionID, because error: EngineError?) {
        content.withLock { content in
            guard content.states.removeValue(forKey: id) != nil else { return }
            content.channels[id] = nil
            content.order.removeAll { $0 == id }
            content.notify(.closed(id, error))
            guard content.defaultSession == id else { return }
            content.defaultSession = content.order.last
            content.notify(.defaultSession(content.defaultSession))
        }
    }

    /// The state of a session; of the default session if `id` is `nil`.
    package func state(of id: SessionID?) -> SessionState? {
        content.withLock { content in (id ?? content.defaultSession).flatMap { content.states[$0] } }
    }

    package var sessions: (sessions: [SessionState], defaultSession: SessionID?) {
        content.withLock { content in (content.order.compactMap { content.states[$0] }, content.defaultSession) }
    }
}
