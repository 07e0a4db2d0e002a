// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A value behind a lock, for code that is called from outside any actor.
///
/// A pthread mutex, because `Synchronization.Mutex` makes the thread sanitizer report false races. Hold the lock for a
/// few instructions only, never across an `await` or a blocking C call.
@safe package final class Locked<Value>: Sendable {
    // SAFETY: `value` is accessed only between lock and unlock of `mutex`, and values that enter or leave are
    // `sending`.
    private nonisolated(unsafe) var value: Value
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: consuming sending Value) {
        unsafe self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value)
    }
}
