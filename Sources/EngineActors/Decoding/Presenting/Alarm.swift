// SPDX-License-Identifier: Apache-2.0

/// The next moment at which an actor wants to be woken.
package struct Alarm {
    private var task: Task<Void, Never>?
    private var moment: Int64 = .max

    /// Calls `wake` at `moment`, unless an earlier alarm is already set.
    mutating func set(to moment: Int64, now: Int64, _ wake: @escaping @Sendable () async -> Void) {
        guard moment < self.moment else { return }
        task?.cancel()
        self.moment = moment
        // The task is cancelled by an earlier alarm or by `cancel`.
        task = Task {
            do { try await Task.sleep(for: .nanoseconds(max(0, moment - now))) } catch { return }
            await wake()
        }
    }

    /// Must be called when the alarm has fired, so that the next `set` takes effect.
    mutating func reset() { moment = .max }

    mutating func cancel() {
        task?.cancel()
        moment = .max
    }
}
