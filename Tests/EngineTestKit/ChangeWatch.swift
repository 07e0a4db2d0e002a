// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// Notes the changes that an engine publishes, so that tests can wait for a state.
///
/// Thread-safety: safe.
package final class ChangeWatch: EngineObserver {
    private let changed: ChangeSignal

    package init() { changed = ChangeSignal() }

    /// Wakes the waiters of `unheld` when the engine, which holds its observers, has released this one.
    deinit { changed.signal() }

    package func receive(_ change: EngineChange) { changed.signal() }

    /// Waits until `holds` is true, and looks again after every change. The suite's time limit ends a wait that would
    /// never end.
    package func until(_ holds: () async throws -> Bool) async throws { try await Self.wait(changed, holds) }

    /// Like `until`, without holding this observer: also looks again when nothing holds it any more.
    package var unheld: (_ holds: () async throws -> Bool) async throws -> Void {
        { [changed] holds in try await Self.wait(changed, holds) }
    }

    private static func wait(_ changed: ChangeSignal, _ holds: () async throws -> Bool) async throws {
        while true {
            let seen = changed.signalCount
            if try await holds() { return }
            await changed.wait(after: seen)
            try Task.checkCancellation()
        }
    }
}
