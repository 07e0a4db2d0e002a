// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// Where senders wait while a sink has no room.
final class SinkDoor: Sendable {
    private struct Waiters {
        var continuations: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Numbers of all waiters that have arrived and not left.
        var present: Set<UInt64> = []
        /// Those of them that were released before they suspended.
        var early: Set<UInt64> = []
        var lastNumber: UInt64 = 0
        /// Counts openings.
        var openings: UInt64 = 0
    }

    private let waiters = Locked(Waiters())

    /// Must be read before the decision to wait, so that no opening is missed.
    var ticket: UInt64 { waiters.withLock { $0.openings } }

    /// Suspends until the door opens after `ticket` was taken, `nanoseconds` have passed, or the task is cancelled.
    func wait(since ticket: UInt64, atMost nanoseconds: Int64?) async {
        let number = waiters.withLock { waiters in
            waiters.lastNumber += 1
            waiters.present.insert(waiters.lastNumber)
            return waiters.lastNumber
        }
        let timer = nanoseconds.map { nanoseconds in
            // Cancelled below.
            Task {
                do { try await Task.sleep(for: .nanoseconds(nanoseconds)) } catch { return }
                self.release(number)
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLate = waiters.withLock { waiters in
                    guard waiters.openings == ticket, !waiters.early.contains(number) else { return true }
                    waiters.continuations[number] = continuation
                    return false
                }
                if isLate { continuation.resume() }
            }
        } onCancel: {
            release(number)
        }
        timer?.cancel()
        waiters.withLock { waiters in
            waiters.early.remove(number)
            waiters.present.remove(number)
        }
    }

    func open() {
        let waiting = waiters.withLock { waiters in
            waiters.openings += 1
            defer { waiters.continuations = [:] }
            return waiters.continuations
        }
        for continuation in waiting.values { continuation.resume() }
    }

    private func release(_ number: UInt64) {
        let continuation = waiters.withLock { waiters -> CheckedContinuation<Void, Never>? in
            guard waiters.present.contains(number) else { return nil }
            let continuation = waiters.continuations.removeValue(forKey: number)
            if continuation == nil { waiters.early.insert(number) }
            return continuation
        }
        continuation?.resume()
    }
}
