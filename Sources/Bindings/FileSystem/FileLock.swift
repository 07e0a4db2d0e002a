// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A lock file that only one process at a time can hold (`flock`). The kernel releases the lock when the process ends,
/// for whatever reason.
package struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Takes the lock without waiting.
    ///
    /// - Parameter directory: the directory of `path`; created with mode 0700, including its parents, if missing.
    /// - Throws: `EWOULDBLOCK` if another process holds the lock.
    package init(_ path: String, makingDirectory directory: String) throws(Errno) {
        try SmallFile.makeDirectory(directory)
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Errno(in: "open") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = Errno(in: "flock")
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

extension Errno {
    /// Another process holds the lock.
    package var isHeldElsewhere: Bool { code == EWOULDBLOCK }
}
