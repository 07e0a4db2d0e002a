// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineRuntime
internal import Reading

/// The video bridges of the process: one per core, at most eight, so that sessions do not slow each other down more
/// than the machine requires. A bridge that becomes free takes the segment that a player waits for, otherwise the one
/// that has waited longest.
///
/// Thread-safety: safe.
final class VideoBridgePool: Sendable {
    private struct Waiter {
        let id: UInt64
        let isAwaited: @Sendable () -> Bool
        let continuation: CheckedContinuation<VideoBridge, Never>
    }

    private struct State {
        var free: [VideoBridge] = []
        var started = 0
        var lastWaiter: UInt64 = 0
        /// In order of arrival.
        var waiters: [Waiter] = []
    }

    /// Each encodes on one thread, and decodes on two.
    static let shared = VideoBridgePool(count: min(8, VideoDecoder.coreCount))

    private let count: Int
    private let state = Locked(State())

    /// - Parameter count: the largest number of segments that are encoded at the same time.
    init(count: Int) { self.count = max(1, count) }

    /// The number of callers that wait.
    var waiting: Int { state.withLock(\.waiters.count) }

    /// Waits for a free bridge. The caller must give the bridge back.
    ///
    /// - Parameter isAwaited: whether a player waits for the segment. Called whenever a bridge becomes free.
    func take(isAwaited: @escaping @Sendable () -> Bool) async -> VideoBridge {
        await withCheckedContinuation { continuation in
            let bridge = state.withLock { state -> VideoBridge? in
                if let bridge = state.free.popLast() { return bridge }
                // Threads are started when they are first needed.
                if state.started < count {
                    state.started += 1
                    return VideoBridge(name: "video-\(state.started)")
                }
                state.lastWaiter += 1
                state.waiters.append(
                    Waiter(id: state.lastWaiter, isAwaited: isAwaited, continuation: continuation)
                )
                return nil
            }
            if let bridge { continuation.resume(returning: bridge) }
        }
    }

    func giveBack(_ bridge: VideoBridge) {
        while true {
            let waiters = state.withLock { state in
                if state.waiters.isEmpty { state.free.append(bridge) }
                return state.waiters
            }
            // `isAwaited` is called without the lock, because it takes a lock of its own.
            guard let chosen = waiters.first(where: { $0.isAwaited() }) ?? waiters.first else { return }
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == chosen.id }.map { state.waiters.remove(at: $0) }
            }
            // `nil` if another bridge that became free at the same time went to this waiter.
            if let waiter { return waiter.continuation.resume(returning: bridge) }
        }
    }
}
