// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// The observers of `ByteSource.waits`.
///
/// Thread-safety: safe.
package final class WaitObservers: Sendable {
    private struct State {
        var last: UInt64 = 0
        var observers: [UInt64: AsyncStream<SourceWait?>.Continuation] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// As `ByteSource.waits`.
    package func stream() -> AsyncStream<SourceWait?> {
        let (stream, observer) = AsyncStream.makeStream(of: SourceWait?.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.last += 1
            state.observers[state.last] = observer
            return state.last
        }
        observer.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
        return stream
    }

    /// - Parameter wait: why the source delivers nothing. `nil`: it delivers again.
    package func notify(_ wait: SourceWait?) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.yield(wait) }
    }
}
