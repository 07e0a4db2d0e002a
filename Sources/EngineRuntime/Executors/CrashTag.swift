// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Identifies the session for which a thread works, so that a crash on the thread can be attributed.
///
/// A `ThreadExecutor` keeps the tag of the task that creates it for the life of its thread.
package enum CrashTag {
    /// 0: the thread works for no session in particular.
    @TaskLocal package static var current: UInt32 = 0

    /// Calls `body`. The threads that a C library starts in it inherit a tag: that of the current task, otherwise that
    /// of the calling thread.
    ///
    /// `body` must not start threads that outlive the work for the session, such as those of the cooperative pool.
    package static func lend<Value: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        csystem_lend_crash_tag(current != 0 ? current : ofThread)
        defer { csystem_lend_crash_tag(0) }
        return try body()
    }

    /// The tag of the calling thread: its own, otherwise the one that it inherited from the thread that started it
    /// (`lend`). 0 if it has none.
    static var ofThread: UInt32 { csystem_crash_tag() }
}
