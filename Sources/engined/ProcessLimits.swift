// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Process-wide settings requested from the system.
enum ProcessLimits {
    /// Raises the soft limit to the hard one: a thousand watchers and as many players need a descriptor each.
    static func raiseOpenFiles() { csystem_raise_open_files() }

    /// Segments are large blocks that are allocated on one thread and freed on another, and by default malloc keeps
    /// most of that memory. Must be called before any thread is started.
    static func keepHeapSmall() { csystem_keep_heap_small() }
}
