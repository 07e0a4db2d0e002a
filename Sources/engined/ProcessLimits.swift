// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Process-wide settings requested from the system.
enum ProcessLimits {
    /// Raises the soft limit of open files to the hard one: each of a thousand watchers and as many players needs a
    /// descriptor.
    static func raiseOpenFiles() { csystem_raise_open_files() }

    /// The most connections that one server may have open. The rest of the descriptors is for the work: libdispatch
    /// ends the process if it cannot open a file in `/proc`.
    static var connections: Int { Int(csystem_open_file_limit() / 4) }

    /// Limits how much freed memory malloc keeps. Segments are large blocks that are allocated on one thread and freed on
    /// another, and by default malloc keeps most of their memory. Call this before any thread is started.
    static func keepHeapSmall() { csystem_keep_heap_small() }

    /// Keeps SVT-AV1 from writing its settings to stderr for each segment. Call this before any thread is started.
    static func quietEncoders() { csystem_quiet_encoders() }

    /// Makes libraries read text as UTF-8, whatever the environment says: libcurl reads host names in the encoding of the locale.
    /// Call this before any thread is started.
    ///
    /// - Returns: `false` if there is no such locale.
    static func readTextAsUTF8() -> Bool { csystem_read_text_as_utf8() }
}
