// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import NIOCore

/// Runs `question` on an event loop, and returns the value that `question` passes to its completion handler. `question`
/// must call the handler exactly once.
///
/// A lock protects the value. A continuation alone would be enough, but when it is resumed before its task has
/// suspended, the thread sanitizer misses the synchronization and reports a false race.
func answer<Value: Sendable>(
    from loop: any EventLoop,
    to question: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    let box = Locked<Value?>(nil)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        loop.execute {
            question { value in
                box.withLock { $0 = value }
                continuation.resume()
            }
        }
    }
    guard let value = box.withLock({ $0 }) else { preconditionFailure("resumed without a value") }
    return value
}
