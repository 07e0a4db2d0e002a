// SPDX-License-Identifier: Apache-2.0

/// Runs an action after a period without requests. Releasing the timer cancels the action.
package struct IdleTimer: ~Copyable {
    private let patience: Duration
    private var task: Task<Void, Never>?

    package init(_ patience: Duration) { self.patience = patience }

    deinit { task?.cancel() }

    /// Restarts the idle period; call it on every request.
    package mutating func restart(_ body: @escaping @Sendable () async -> Void) {
        task?.cancel()
        // Cancelled by the next restart, by `cancel`, and by the release of the timer.
        task = Task { [patience] in
            // The sleep was cancelled: there was another request, or the timer is no longer needed.
            do { try await Task.sleep(for: patience) } catch { return }
            await body()
        }
    }

    package mutating func cancel() { task?.cancel() }
}
