// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// What the process asks of the system for itself.
enum ProcessLimits {
    /// A thousand watchers and as many players need a descriptor each: the soft limit goes up to the hard one.
    static func raiseOpenFiles() { csystem_raise_open_files() }

    /// Segments come and go in large blocks, made on one thread and freed on another: left to itself, malloc keeps most of
    /// them. Must be called before any thread is started.
    static func keepHeapSmall() { csystem_keep_heap_small() }
}
