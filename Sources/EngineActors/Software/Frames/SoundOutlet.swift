// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// Who plays a session's sound: one front-end at a time.
///
/// Thread-safety: safe.
package final class SoundOutlet: Sendable {
    private struct State {
        var sink: (any SoundSink)?
        var observer: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    package init() {}

    /// `nil`: nobody.
    package var sink: (any SoundSink)? { state.withLock { $0.sink } }

    /// - Parameter observer: called after another has taken the place, or nobody has it; it looks at `sink` then. There is
    ///   one at a time. It must not wait.
    package func observe(_ observer: (@Sendable () -> Void)?) { state.withLock { $0.observer = observer } }

    /// - Returns: `false` when somebody plays already.
    func add(_ sink: any SoundSink) -> Bool {
        let (isAdded, observer) = state.withLock { state in
            guard state.sink == nil else { return (false, nil as (@Sendable () -> Void)?) }
            state.sink = sink
            return (true, state.observer)
        }
        observer?()
        return isAdded
    }

    func remove(_ sink: any SoundSink) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.sink === sink else { return nil }
            state.sink = nil
            return state.observer
        }
        observer?()
    }
}
