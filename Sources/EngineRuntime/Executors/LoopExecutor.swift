// SPDX-License-Identifier: Apache-2.0

/// A task executor that runs on the thread of an event loop.
///
/// A job enqueued on that thread runs before control returns to the loop, without going through the loop's own queue.
/// By then, a task that was started there has run to its first real suspension. So has every actor without an executor
/// of its own that the task called, unless another thread holds the actor. A job enqueued on any other thread is passed
/// to the loop.
///
/// For short work only, because it blocks everything else on the loop.
///
/// Thread-safety: safe.
package final class LoopExecutor: TaskExecutor {
    private struct PendingJobs {
        var jobs: [UnownedJob] = []
        var isRunning = false
    }

    private let isOnLoop: @Sendable () -> Bool
    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Jobs enqueued by jobs on the loop's thread. Touched by that thread only, so the lock is never contended.
    private let pending = Locked(PendingJobs())

    /// - Parameters:
    ///   - isOnLoop: whether the calling thread is the loop's.
    ///   - execute: runs a closure once on the loop, soon; callable on any thread.
    package init(
        isOnLoop: @escaping @Sendable () -> Bool,
        execute: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.isOnLoop = isOnLoop
        self.execute = execute
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard isOnLoop() else { return execute { self.run(job) } }
        run(job)
    }

    /// Runs the job, or queues it if it was enqueued from within a running job: jobs do not nest.
    private func run(_ job: UnownedJob) {
        let isInside = pending.withLock { pending in
            if pending.isRunning { pending.jobs.append(job) }
            defer { pending.isRunning = true }
            return pending.isRunning
        }
        if isInside { return }
        var next: UnownedJob? = job
        while let job = next {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            next = pending.withLock { pending in
                if pending.jobs.isEmpty {
                    pending.isRunning = false
                    return nil
                }
                return pending.jobs.removeFirst()
            }
        }
    }
}
