// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineRuntime

/// The observers of `ByteSource.waits`.
///
/// Thread-safety: safe.
package final class WaitObservers: Sendable {
    private struct State {
        var last: UInt64 = 0
        var observers: [UInt64: AsyncStream<SourceDelivery>.Continuation] = [:]
    }

    private let state = Locked(State())

    package init() {}

    deinit {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.finish() }
    }

    /// As `ByteSource.waits`.
    package func stream() -> AsyncStream<SourceDelivery> {
        let (stream, observer) = AsyncStream.makeStream(of: SourceDelivery.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.last += 1
            state.observers[state.last] = observer
            return state.last
        }
        observer.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
        return stream
    }

    package func notify(_ delivery: SourceDelivery) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.yield(delivery) }
    }
}
