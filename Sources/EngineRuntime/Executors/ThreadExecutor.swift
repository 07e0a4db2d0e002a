// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// A serial executor that owns one named thread, for an actor that calls blocking C.
///
/// Jobs may block the thread for seconds without taking a thread from the cooperative pool. The thread ends when the
/// executor has been released and its last job has returned.
package final class ThreadExecutor: SerialExecutor {
    private let queue = JobQueue()

    /// For an actor's `unownedExecutor`. The actor must also store this executor.
    @safe package var reference: UnownedSerialExecutor { unsafe asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - name: the thread's name in `ps -T`, truncated to 15 bytes.
    ///   - niceness: the thread's nice value, from 0 (normal priority) to 19 (the lowest). Threads that it starts
    ///     inherit the value.
    package init(name: String, niceness: Int = 0) {
        let context = unsafe Unmanaged.passRetained(
            ThreadStart(name: name, niceness: niceness, crashTag: CrashTag.current, queue: queue)
        )
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
    let crashTag: UInt32
    let queue: JobQueue

    init(name: String, niceness: Int, crashTag: UInt32, queue: JobQueue) {
        self.name = name
        self.niceness = niceness
        self.crashTag = crashTag
        self.queue = queue
    }
}

private func runThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let raw = unsafe raw else { preconditionFailure("a thread was started without its argument") }
    let start = unsafe Unmanaged<ThreadStart>.fromOpaque(raw).takeRetainedValue()
    unsafe csystem_set_thread_name(String(start.name.utf8.prefix(15)))
    csystem_mark_blocking_thread()
    csystem_set_crash_tag(start.crashTag)
    if start.niceness > 0 { csystem_yield_to_others(CInt(clamping: start.niceness)) }
    start.queue.adoptCurrentThread()
    while let entry = start.queue.pop() {
        unsafe entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor())
    }
    return nil
}
