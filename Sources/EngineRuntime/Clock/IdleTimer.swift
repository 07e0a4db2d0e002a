// SPDX-License-Identifier: Apache-2.0

/// Runs an action after a period without requests. It is cancelled with its owner, which is an actor.
package struct IdleTimer: ~Copyable {
    private let patience: Duration
    private var task: Task<Void, Never>?

    package init(_ patience: Duration) { self.patience = patience }

    deinit { task?.cancel() }

    /// Restarts the idle period; call it on every request.
    package mutating func restart(_ body: @escaping @Sendable () async -> Void) {
        task?.cancel()
        task = Task { [patience] in
            // Cancelled: there was another request, or there is nothing left to do.
            do { try await Task.sleep(for: patience) } catch { return }
            await body()
        }
    }

    package mutating func cancel() { task?.cancel() }
}
