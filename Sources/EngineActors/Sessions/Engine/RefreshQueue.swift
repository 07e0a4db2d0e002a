// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Carries out the refreshes of each source in the order of `RefreshOrder`. Those of different sources do not wait for
/// each other.
///
/// Thread-safety: safe.
final class RefreshQueue: Sendable {
    private struct State {
        var orders: [ObjectIdentifier: RefreshOrder] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Locked(State())
    /// Signalled when a turn has ended, or when a refresh that waited has left.
    private let change = ChangeSignal()

    /// Waits for the turn of a refresh, and carries it out. Cancelling the task ends the wait, or raises the flag of a
    /// refresh that is being carried out.
    ///
    /// - Parameters:
    ///   - source: what is refreshed.
    ///   - body: carries the refresh out. If the flag is raised in time, the refresh changes nothing and fails with
    ///     `cancelled`.
    /// - Returns: `nil` if a newer refresh was carried out instead.
    func perform<Value: Sendable>(
        _ refresh: SourceRefresh,
        of source: any AnyObject & Sendable,
        _ body: (InterruptFlag) async throws(EngineError) -> Value
    ) async throws(EngineError) -> Value? {
        // Keeps the source alive, so that no other source can get the same key.
        defer { withExtendedLifetime(source) {} }
        let key = ObjectIdentifier(source)
        let id = state.withLock { state in
            state.lastID += 1
            state.orders[key, default: RefreshOrder()].add(state.lastID, refresh)
            return state.lastID
        }
        while let interrupt = try await turn(of: id, key) {
            do throws(EngineError) {
                let value = try await interrupting(by: { interrupt.raise() }) { () async throws(EngineError) in
                    try await body(interrupt)
                }
                end(key) { $0.succeeded(id) }
                return value
            } catch {
                let wasInterrupted = error.code == .cancelled && !Task.isCancelled
                guard end(key, { $0.failed(id, wasInterrupted: wasInterrupted) }) else { throw error }
            }
        }
        return nil
    }

    /// Waits until a refresh is to be carried out.
    ///
    /// - Returns: the flag that ends its turn; `nil` if it was replaced.
    private func turn(of id: UInt64, _ key: ObjectIdentifier) async throws(EngineError) -> InterruptFlag? {
        while true {
            let seen = change.signalCount
            if Task.isCancelled {
                end(key) { $0.leave(id) }
                throw EngineError(.cancelled, "the refresh was cancelled")
            }
            switch update(key, { $0.turn(of: id) }) {
            case .now(let interrupt): return interrupt
            case .replaced: return nil
            case nil: await change.wait(after: seen)
            }
        }
    }

    /// As `update`, for changes after which another refresh may come next.
    @discardableResult
    private func end<Value: Sendable>(_ key: ObjectIdentifier, _ body: (inout RefreshOrder) -> Value) -> Value {
        defer { change.signal() }
        return update(key, body)
    }

    private func update<Value: Sendable>(_ key: ObjectIdentifier, _ body: (inout RefreshOrder) -> Value) -> Value {
        state.withLock { state in
            var order = state.orders[key] ?? RefreshOrder()
            defer { state.orders[key] = order.isEmpty ? nil : order }
            return body(&order)
        }
    }
}
