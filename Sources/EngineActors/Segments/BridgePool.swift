// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Reading

/// The bridges of a producer. Each bridges one track of one segment at a time, and the first free bridge takes the next
/// job. A bridge whose core is busy with other programs delays only its own segment.
///
/// Thread-safety: safe.
final class BridgePool: Sendable {
    private struct State {
        var free: [Int]
        /// In order of arrival.
        var waiters: [CheckedContinuation<Int, Never>] = []
    }

    /// One more than the cores of the smallest supported machine, so that bridges also get a share of a core that
    /// another program uses.
    static let count = 3

    private let bridges: [AudioBridge]
    private let state: Locked<State>

    /// - Parameter isNeeded: whether any track is bridged. If not, no threads are started.
    init(isNeeded: Bool) {
        bridges = isNeeded ? (1...Self.count).map { AudioBridge(name: "bridge-\($0)") } : []
        state = Locked(State(free: Array(bridges.indices.reversed())))
    }

    subscript(number: Int) -> AudioBridge { bridges[number] }

    /// Waits for a free bridge. The caller must give the bridge back.
    func take() async -> Int {
        await withCheckedContinuation { waiter in
            let number = state.withLock { state -> Int? in
                if let number = state.free.popLast() { return number }
                state.waiters.append(waiter)
                return nil
            }
            if let number { waiter.resume(returning: number) }
        }
    }

    func giveBack(_ number: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Int, Never>? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.free.append(number)
            return nil
        }
        waiter?.resume(returning: number)
    }
}
