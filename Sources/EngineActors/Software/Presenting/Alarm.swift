// SPDX-License-Identifier: Apache-2.0

/// One moment at which somebody wants to be woken.
struct Alarm {
    private var task: Task<Void, Never>?
    private var moment: Int64 = .max

    /// Wakes at `moment`, unless it does so earlier anyway.
    mutating func set(to moment: Int64, now: Int64, _ wake: @escaping @Sendable () async -> Void) {
        guard moment < self.moment else { return }
        task?.cancel()
        self.moment = moment
        // Ended by the next alarm or by `cancel`.
        task = Task {
            do { try await Task.sleep(for: .nanoseconds(max(0, moment - now))) } catch { return }
            await wake()
        }
    }

    /// It has rung.
    mutating func reset() { moment = .max }

    mutating func cancel() {
        task?.cancel()
        moment = .max
    }
}
