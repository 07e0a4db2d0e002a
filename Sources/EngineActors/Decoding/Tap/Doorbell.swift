// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// Wakes one waiter. A ring while nobody waits is kept for the next waiter.
///
/// Thread-safety: safe.
final class Doorbell: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
        var timer: Task<Void, Never>?
    }

    private let state = Locked(State())

    func ring() {
        let (waiter, timer) = state.withLock { state in
            defer { (state.waiter, state.timer) = (nil, nil) }
            if state.waiter == nil { state.isRung = true }
            return (state.waiter, state.timer)
        }
        timer?.cancel()
        waiter?.resume()
    }

    /// Returns when the bell rings, at `moment` (nanoseconds of the monotonic clock), or when the task is cancelled.
    func wait(until moment: Int64?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRung = state.withLock { state in
                    defer { state.isRung = false }
                    if state.isRung || Task.isCancelled { return true }
                    state.waiter = continuation
                    guard let moment else { return false }
                    let delay = max(0, moment - monotonicNanoseconds())
                    // The task ends after its sleep, or when the bell rings and cancels it.
                    state.timer = Task { [weak self] in
                        do { try await Task.sleep(for: .nanoseconds(delay)) } catch { return }
                        self?.ring()
                    }
                    return false
                }
                if isRung { continuation.resume() }
            }
        } onCancel: {
            ring()
        }
    }
}
