// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A blocking first-in, first-out queue of executor jobs with one consumer.
@safe final class JobQueue: Sendable {
    @safe struct Entry: Sendable {
        let job: UnownedJob
        let executor: ThreadExecutor
    }

    // SAFETY: `incoming` and `isStopped` are touched only between lock and unlock of `mutex`; `draining` only by the
    // one consumer thread. A pthread pair, because `Synchronization.Mutex` has no condition variable.
    private nonisolated(unsafe) var incoming: [Entry] = []
    private nonisolated(unsafe) var isStopped = false
    private nonisolated(unsafe) var draining: [Entry] = []
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) let condition: UnsafeMutablePointer<pthread_cond_t>
    private let thread = Atomic<UInt>(0)

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    var isCurrentThread: Bool { thread.load(ordering: .acquiring) == UInt(pthread_self()) }

    func adoptCurrentThread() { thread.store(UInt(pthread_self()), ordering: .releasing) }

    func push(_ entry: Entry) {
        unsafe pthread_mutex_lock(mutex)
        unsafe incoming.append(entry)
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits for the next entry. Returns `nil` once the queue is stopped and empty. Called by the one consumer only.
    ///
    /// Takes the whole batch under one lock and returns its entries in order; `draining` holds the batch reversed, so
    /// the oldest entry is removed with `popLast`.
    func pop() -> Entry? {
        if let entry = unsafe draining.popLast() { return entry }
        unsafe pthread_mutex_lock(mutex)
        while unsafe incoming.isEmpty && !isStopped {
            unsafe pthread_cond_wait(condition, mutex)
        }
        unsafe swap(&draining, &incoming)
        unsafe pthread_mutex_unlock(mutex)
        unsafe draining.reverse()
        return unsafe draining.popLast()
    }

    func stop() {
        unsafe pthread_mutex_lock(mutex)
        unsafe isStopped = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
