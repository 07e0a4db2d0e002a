// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineRuntime

/// The open event streams, up to a limit. A renderer sends the number of its stream with each report; the number
/// selects the call to which the report is added.
///
/// Thread-safety: safe.
final class OpenStreams: Sendable {
    static let limit = 32

    private struct State {
        var last: UInt64 = 0
        var calls: [UInt64: MessageCall] = [:]
        /// The number of reserved places whose call has not begun.
        var reserved = 0
    }

    private let state = Locked(State())

    /// Reserves a place. Returns `false` if all places are taken.
    func reserve() -> Bool {
        state.withLock { state in
            guard state.calls.count + state.reserved < Self.limit else { return false }
            state.reserved += 1
            return true
        }
    }

    /// Fills a reserved place.
    ///
    /// - Returns: the number by which `call(_:)` finds the call.
    func fill(_ call: MessageCall) -> UInt64 {
        state.withLock { state in
            state.reserved -= 1
            state.last += 1
            state.calls[state.last] = call
            return state.last
        }
    }

    /// Gives up a reserved place.
    func release() { state.withLock { $0.reserved -= 1 } }

    func call(_ number: UInt64) -> MessageCall? { state.withLock { $0.calls[number] } }

    func remove(_ number: UInt64) { state.withLock { $0.calls[number] = nil } }

    /// Ends all streams.
    func cancelAll() {
        for call in state.withLock({ Array($0.calls.values) }) { call.cancel() }
    }
}
