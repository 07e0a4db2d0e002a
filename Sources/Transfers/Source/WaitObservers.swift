// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Those who are told why a source delivers nothing.
///
/// Thread-safety: safe.
final class WaitObservers: Sendable {
    private struct State {
        var last: UInt64 = 0
        var observers: [UInt64: AsyncStream<SourceWait?>.Continuation] = [:]
    }

    private let state = Locked(State())

    /// One element for each change. Ends with the task that reads it.
    func stream() -> AsyncStream<SourceWait?> {
        let (stream, observer) = AsyncStream.makeStream(of: SourceWait?.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.last += 1
            state.observers[state.last] = observer
            return state.last
        }
        observer.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
        return stream
    }

    /// - Parameter wait: `nil`: the source delivers again.
    func tell(_ wait: SourceWait?) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.yield(wait) }
    }
}
