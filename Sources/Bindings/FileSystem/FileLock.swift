// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file that one process at a time may hold (`flock`). The kernel lets go of it when the process ends, however it ends.
package struct FileLock: ~Copyable {
    private let descriptor: CInt

    /// Takes the lock without waiting.
    ///
    /// - Parameter directory: of `path`; made with mode 0700, parents too, when it is not there.
    /// - Throws: `EWOULDBLOCK` when another process holds it.
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
    /// Somebody else has it.
    package var isHeldElsewhere: Bool { code == EWOULDBLOCK }
}
