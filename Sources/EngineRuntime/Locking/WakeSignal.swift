// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Lets a thread that may block wait until another thread calls `call` or a timeout expires.
///
/// A pthread pair, because `Synchronization` has no condition variable. Calls made while no thread waits are merged
/// into one.
@safe package final class WakeSignal: Sendable {
    // SAFETY: `isCalled` is touched only between lock and unlock of `mutex`; the pointers never change.
    private nonisolated(unsafe) var isCalled = false
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) let condition: UnsafeMutablePointer<pthread_cond_t>

    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // The wall clock may jump.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Blocks only for the lock, which is held briefly.
    package func call() {
        unsafe pthread_mutex_lock(mutex)
        unsafe isCalled = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Blocks until `call` is called or `nanoseconds` have passed. Returns at once if `call` has been called since the
    /// last wait. Only one thread may wait at a time.
    package func wait(atMost nanoseconds: Int64) {
        let end = monotonicNanoseconds() + nanoseconds
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        unsafe pthread_mutex_lock(mutex)
        while unsafe !isCalled {
            if unsafe pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
        }
        unsafe isCalled = false
        unsafe pthread_mutex_unlock(mutex)
    }
}
