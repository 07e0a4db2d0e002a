// SPDX-License-Identifier: Apache-2.0

// Imported for the members of `struct stat`, which an optimised build attributes to the first module that included it.
internal import CAlsa
internal import CSystemShims
internal import EngineModel
internal import EngineRuntime
internal import Glibc

/// A private file (mode 0600) that is read and written at any offset, and parts of which can be given back to the file
/// system.
///
/// Thread-safety: safe, as `pread` and `pwrite` have no position. Calls block.
package final class SparseFile: Sendable {
    private let descriptor: CInt

    /// Opens the file for reading and writing (`open(2)`); a symbolic link is not followed.
    ///
    /// - Parameter isNew: whether to create the file, which fails with `EEXIST` if it exists.
    package init(_ path: String, isNew: Bool) throws(Errno) {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | (isNew ? O_CREAT | O_EXCL : 0)
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Errno(in: "open") }
        self.descriptor = descriptor
    }

    /// Creates an unnamed file, which is deleted when it is closed.
    ///
    /// - Parameter directory: created, with its parents, if missing.
    package init(unnamedIn directory: String) throws(Errno) {
        try SmallFile.makeDirectory(directory)
        let name = Hexadecimal.text(randomBytes(8))
        let path = "\(directory)/.\(name)"
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else { throw Errno(in: "open") }
        self.descriptor = descriptor
        // `deinit` closes the descriptor, because every property is set by now.
        try SmallFile.remove(path)
    }

    deinit { close(descriptor) }

    package struct Status: Hashable, Sendable {
        package let byteCount: Int64
        /// The space that the file occupies in the file system.
        package let allocatedByteCount: Int64
        /// The time of the last change, in microseconds since 1970.
        package let changedUnixMicroseconds: Int64
    }

    /// `fstat(2)`.
    package func status() throws(Errno) -> Status {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Errno(in: "fstat") }
        return Status(
            byteCount: Int64(status.st_size),
            allocatedByteCount: Int64(status.st_blocks) * 512,
            changedUnixMicroseconds: Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000
        )
    }

    /// Up to `count` bytes from `offset`; fewer only at the end of the file. The caller bounds `count`.
    package func read(at offset: Int64, count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let start = unsafe buffer.baseAddress?.advanced(by: filled)
                let part = unsafe pread(descriptor, start, count - filled, off_t(offset) + off_t(filled))
                if part < 0, errno == EINTR { continue }
                if part < 0 { failure = Errno(in: "pread") }
                if part <= 0 { return }
                filled += part
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of `bytes` at `offset` (`pwrite(2)`).
    package func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe pwrite(
                    descriptor,
                    $0.baseAddress?.advanced(by: written),
                    $0.count - written,
                    off_t(offset) + off_t(written)
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Errno(in: "pwrite") }
            written += count
        }
    }

    /// Gives a range back to the file system (`FALLOC_FL_PUNCH_HOLE`). It then reads as zeros. On a file system without
    /// holes the call fails, and the bytes stay.
    package func punchHole(_ range: Range<Int64>) throws(Errno) {
        while csystem_punch_hole(descriptor, range.lowerBound, range.upperBound - range.lowerBound) != 0 {
            guard errno == EINTR else { throw Errno(in: "fallocate") }
        }
    }

    /// Sets the file's times to now (`futimens(3)`).
    package func touch() throws(Errno) {
        guard futimens(descriptor, nil) == 0 else { throw Errno(in: "futimens") }
    }
}

extension Errno {
    /// The file system is full, the user's quota is exhausted, or the file would become too large.
    package var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
    package var isExisting: Bool { code == EEXIST }
}
