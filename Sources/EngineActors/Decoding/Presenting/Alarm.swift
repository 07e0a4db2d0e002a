// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The next moment at which an actor wants to be woken.
///
/// Thread-safety: safe.
final class Alarm: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// When the alarm goes off; `.max` if it is not set.
        var moment = Int64.max
        /// The number of the latest setting. An alarm that was replaced does not clear its successor.
        var setting: UInt64 = 0
    }

    private let state = Locked(State())

    /// Calls `wake` at `moment`, unless an earlier alarm is already set. An alarm that has gone off is no longer set.
    func set(to moment: Int64, now: Int64, _ wake: @escaping @Sendable () async -> Void) {
        state.withLock { [self] state in
            guard moment < state.moment else { return }
            state.task?.cancel()
            state.moment = moment
            state.setting += 1
            // The task is cancelled by an earlier alarm or by `cancel`.
            state.task = Task { [setting = state.setting] in
                do { try await Task.sleep(for: .nanoseconds(max(0, moment - now))) } catch { return }
                guard goOff(setting) else { return }
                await wake()
            }
        }
    }

    /// Clears the alarm, unless it was replaced or cancelled meanwhile. Returns whether it was still set.
    private func goOff(_ setting: UInt64) -> Bool {
        state.withLock { state in
            guard state.setting == setting, state.moment != .max else { return false }
            (state.task, state.moment) = (nil, .max)
            return true
        }
    }

    /// Clears the alarm. A call of `wake` that has begun continues.
    func cancel() {
        state.withLock { state in
            state.task?.cancel()
            (state.task, state.moment) = (nil, .max)
        }
    }
}
