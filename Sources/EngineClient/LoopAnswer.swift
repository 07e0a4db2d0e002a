// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import NIOCore

/// Asks something of an event loop and waits for the answer.
///
/// The answer crosses under a lock. A continuation alone would do, but when it is resumed before its task has gone to
/// sleep, the thread sanitizer does not see the handover and reports a race that is not there.
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
    guard let value = box.withLock({ $0 }) else { preconditionFailure("a question was left without its answer") }
    return value
}
