// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A small text file that holds secrets.
package enum PrivateFile {
    package enum Failure: Error, Hashable, Sendable {
        case system(Errno)
        /// A folder, a device or the like.
        case notRegular
        /// Other users have permissions for it. The value is its mode, as in `chmod`.
        case open(UInt32)
        /// It belongs to another user, who could have changed it.
        case foreign
        case tooLarge
    }

    /// The whole file. It must belong to this process's user or to root, and no other user may have permissions for it.
    /// Blocks.
    package static func text(_ path: String, byteLimit: Int = 1 << 20) throws(Failure) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .system(Errno(in: "open")) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system(Errno(in: "fstat")) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        guard status.st_mode & 0o077 == 0 else { throw .open(status.st_mode & 0o777) }
        guard [0, geteuid()].contains(status.st_uid) else { throw .foreign }
        guard status.st_size <= byteLimit else { throw .tooLarge }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let size = bytes.count - count
            let got = unsafe bytes.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress?.advanced(by: count), size)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .system(Errno(in: "read")) }
            if got == 0 { break }
            count += got
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
