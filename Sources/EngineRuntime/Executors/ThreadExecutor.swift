// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// A serial executor that owns one named thread, for an actor that calls blocking C.
///
/// The thread may be held for seconds without taking one from the cooperative pool. It ends when the executor is gone
/// and its last job has returned.
package final class ThreadExecutor: SerialExecutor {
    private let queue = JobQueue()

    /// What an actor returns from `unownedExecutor`. The actor must store this executor as well.
    @safe package var reference: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - name: the thread's name in `ps -T`; 15 bytes of it are kept.
    ///   - niceness: how far it lets other threads go first: 0 not at all, 19 always. Threads it starts do likewise.
    package init(name: String, niceness: Int = 0) {
        let context = unsafe Unmanaged.passRetained(ThreadStart(name: name, niceness: niceness, queue: queue))
        var thread = pthread_t()
        let status = unsafe pthread_create(&thread, nil, runThread, context.toOpaque())
        precondition(status == 0, "pthread_create failed: \(status)")
        pthread_detach(thread)
    }

    deinit { queue.stop() }

    package func enqueue(_ job: consuming ExecutorJob) {
        // The entry keeps the executor alive until the job has returned.
        queue.push(JobQueue.Entry(job: UnownedJob(job), executor: self))
    }

    package func isIsolatingCurrentContext() -> Bool? { queue.isCurrentThread }
}

private final class ThreadStart {
    let name: String
    let niceness: Int
    let queue: JobQueue

    init(name: String, niceness: Int, queue: JobQueue) {
        self.name = name
        self.niceness = niceness
        self.queue = queue
    }
}

private func runThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw = unsafe raw else { preconditionFailure("a thread was started without its argument") }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(raw).takeRetainedValue()
    unsafe csystem_set_thread_name(String(start.name.utf8.prefix(15)))
    csystem_mark_blocking_thread()
    if start.niceness > 0 { csystem_yield_to_others(CInt(clamping: start.niceness)) }
    start.queue.adoptCurrentThread()
    while let entry = start.queue.pop() {
        unsafe entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor())
    }
    return nil
}
