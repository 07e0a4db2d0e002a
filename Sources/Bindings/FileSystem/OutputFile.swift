// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Glibc

/// A regular file open for writing at any offset.
///
/// Calls block. Thread-safety: one thread at a time may write.
package final class OutputFile: Sendable {
    private let descriptor: CInt

    /// Creates the file, for this user only, or empties it (`open(2)`, `ftruncate(2)`). Does not block on a FIFO; fails
    /// for anything but a regular file.
    package convenience init(_ path: FilePath) throws(Errno) {
        try self.init(path, flags: O_NONBLOCK, mode: 0o600)
        try truncate(to: 0)
    }

    /// Creates the file, which others may read.
    ///
    /// - Throws: `EEXIST` if there is such a file.
    package convenience init(new path: FilePath) throws(Errno) { try self.init(path, flags: O_EXCL, mode: 0o644) }

    private init(_ path: FilePath, flags: CInt, mode: UInt32) throws(Errno) {
        do throws(SystemError) {
            descriptor = try NamedFile.open(path.bytes, flags: O_WRONLY | O_CREAT | O_NOCTTY | flags, mode: mode)
        } catch {
            throw Errno(error)
        }
    }

    deinit { close(descriptor) }

    /// Writes all of `bytes` at `offset` (`pwrite(2)`).
    package func write(_ bytes: [UInt8], at offset: Int64) throws(Errno) {
        try write([ArrayRegion(bytes)], at: offset)
    }

    /// Writes all of `regions`, one after the other, from `offset` on (`pwrite(2)`).
    package func write(_ regions: [any ByteRegion], at offset: Int64) throws(Errno) {
        var place = offset
        for region in regions {
            try region.withBytes { (span) throws(Errno) in
                try unsafe span.withUnsafeBytes { (bytes) throws(Errno) in try unsafe write(bytes, at: place) }
            }
            place += Int64(region.byteCount)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
        var written = 0
        while written < bytes.count {
            let count = unsafe pwrite(
                descriptor,
                bytes.baseAddress?.advanced(by: written),
                bytes.count - written,
                off_t(offset) + off_t(written)
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Errno(in: "pwrite") }
            written += count
        }
    }

    /// Drops everything from `byteCount` on (`ftruncate(2)`).
    package func truncate(to byteCount: Int64) throws(Errno) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw Errno(in: "ftruncate") }
    }

    /// Waits until everything is on the disk (`fdatasync(2)`).
    package func synchronize() throws(Errno) {
        guard fdatasync(descriptor) == 0 else { throw Errno(in: "fdatasync") }
    }
}
