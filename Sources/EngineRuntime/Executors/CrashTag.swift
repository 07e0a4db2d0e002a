// SPDX-License-Identifier: Apache-2.0

/// Says which session a thread works for, so that a crash on it can be attributed.
///
/// A `ThreadExecutor` takes the tag of the task that makes it, for as long as its thread lives.
package enum CrashTag {
    /// 0: the thread works for no session in particular.
    @TaskLocal package static var current: UInt32 = 0
}
