// SPDX-License-Identifier: Apache-2.0

/// Identifies the session for which a thread works, so that a crash on the thread can be attributed.
///
/// A `ThreadExecutor` keeps the tag of the task that creates it for the life of its thread.
package enum CrashTag {
    /// 0: the thread works for no session in particular.
    @TaskLocal package static var current: UInt32 = 0
}
