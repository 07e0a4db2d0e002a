// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The devices of closed streams that are still open. A stream whose device is busy waits for one of them to close.
///
/// Thread-safety: safe.
final class ClosingDevices: Sendable {
    private struct State {
        /// The number of devices that are being closed.
        var pending = 0
        /// The number of devices closed so far.
        var closed = 0
        /// One for each waiting thread.
        var waiting: [WakeSignal] = []
    }

    private let state = Locked(State())

    /// The number of devices closed so far.
    var closed: Int { state.withLock { $0.closed } }

    /// A device is about to be closed.
    func begin() { state.withLock { $0.pending += 1 } }

    /// The device is closed.
    func end() {
        let waiting = state.withLock { state in
            state.pending -= 1
            state.closed += 1
            return state.waiting
        }
        for signal in waiting { signal.call() }
    }

    /// Blocks until a device is closed, or until `end`. Returns at once if no device is being closed.
    ///
    /// - Parameters:
    ///   - seen: the value of `closed` that the caller knows; returns at once if it has changed since.
    ///   - end: CLOCK_MONOTONIC, in nanoseconds.
    /// - Returns: whether a device may have become free.
    func wait(after seen: Int, until end: Int64) -> Bool {
        let signal = WakeSignal()
        let (isOver, waits) = state.withLock { state in
            guard state.closed == seen else { return (true, false) }
            guard state.pending > 0 else { return (false, false) }
            state.waiting.append(signal)
            return (false, true)
        }
        guard waits else { return isOver }
        signal.wait(atMost: max(0, end - monotonicNanoseconds()))
        return state.withLock { state in
            state.waiting.removeAll { $0 === signal }
            return state.closed != seen
        }
    }
}
