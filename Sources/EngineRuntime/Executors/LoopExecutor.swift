// SPDX-License-Identifier: Apache-2.0

/// A task executor on the thread of an event loop.
///
/// What is enqueued on that thread runs before `enqueue` returns to it, without a trip through the loop's own queue: a
/// task begun there has run to its first true wait by then, and so has every actor without an executor of its own that
/// it called, unless another thread holds that actor. What is enqueued elsewhere comes to the loop.
///
/// For short work only; whatever else waits for the loop waits for it.
///
/// Thread-safety: safe.
package final class LoopExecutor: TaskExecutor {
    private struct Lane {
        var jobs: [UnownedJob] = []
        var isRunning = false
    }

    private let isOnLoop: @Sendable () -> Bool
    private let execute: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Jobs that jobs on the loop's thread have enqueued. Touched by that thread only; the lock is never waited for.
    private let lane = Locked(Lane())

    /// - Parameters:
    ///   - isOnLoop: whether the calling thread is that of the loop.
    ///   - execute: runs a closure there once, soon; callable on any thread.
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

    /// Runs the job, or leaves it to the one that runs and has brought it about: jobs do not nest.
    private func run(_ job: UnownedJob) {
        let isInside = lane.withLock { lane in
            if lane.isRunning { lane.jobs.append(job) }
            defer { lane.isRunning = true }
            return lane.isRunning
        }
        if isInside { return }
        var next: UnownedJob? = job
        while let job = next {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            next = lane.withLock { lane in
                if lane.jobs.isEmpty {
                    lane.isRunning = false
                    return nil
                }
                return lane.jobs.removeFirst()
            }
        }
    }
}
