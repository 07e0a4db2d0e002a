// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Carries changes from the engine's threads to the event loop: stores them until the loop calls `drain`.
///
/// Thread-safety: safe. `receive` holds a lock for a few instructions and never waits for the loop.
final class ChangeInbox: EngineObserver {
    private struct State {
        var changes: [EngineChange] = []
        var isVisitDue = false
        var isStopped = false
    }

    private let state = Locked(State())
    private let visit: @Sendable () -> Void

    /// - Parameter visit: called at most once between two `drain`s, on the thread that reported the change.
    init(visit: @escaping @Sendable () -> Void) { self.visit = visit }

    func receive(_ change: EngineChange) {
        let isFirst = state.withLock { state in
            if state.isStopped { return false }
            if let merged = state.changes.last.flatMap({ merge($0, change) }) {
                state.changes[state.changes.count - 1] = merged
            } else {
                state.changes.append(change)
            }
            defer { state.isVisitDue = true }
            return !state.isVisitDue
        }
        if isFirst { visit() }
    }

    func drain() -> [EngineChange] {
        state.withLock { state in
            let changes = state.changes
            state.changes = []
            state.isVisitDue = false
            return changes
        }
    }

    /// Discards stored changes and ignores new ones from now on.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.changes = []
        }
    }
}

/// Merges two consecutive changes of one session: the later state, with the changed groups of both.
private func merge(_ earlier: EngineChange, _ later: EngineChange) -> EngineChange? {
    guard case .changed(let old, let oldFields) = earlier, case .changed(let new, let newFields) = later,
        old.id == new.id
    else { return nil }
    return .changed(new, fields: oldFields.union(newFields))
}
