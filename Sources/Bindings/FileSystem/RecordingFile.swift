// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Glibc

/// A new file to which pieces are appended, and whose beginning can be overwritten.
///
/// Calls block. Thread-safety: one thread at a time may write.
package final class RecordingFile: Sendable {
    private let descriptor: CInt

    /// Creates the file (`open(2)` with `O_EXCL`), for this user to write and for others to read.
    package init(new path: FilePath) throws(Errno) {
        do throws(SystemError) {
            descriptor = try NamedFile.open(path.bytes, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY, mode: 0o644)
        } catch {
            throw Errno(error)
        }
    }

    deinit { close(descriptor) }

    /// Writes all of `regions` at `offset`, one after the other (`pwrite(2)`).
    package func write(_ regions: [any ByteRegion], at offset: Int64) throws(Errno) {
        var place = offset
        for region in regions {
            var failure: Errno?
            region.withBytes { span in
                unsafe span.withUnsafeBytes { bytes in unsafe failure = write(bytes, at: place) }
            }
            if let failure { throw failure }
            place += Int64(region.byteCount)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Errno? {
        var written = 0
        while written < bytes.count {
            let count = unsafe pwrite(
                descriptor,
                bytes.baseAddress?.advanced(by: written),
                bytes.count - written,
                off_t(offset) + off_t(written)
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return Errno(in: "pwrite") }
            written += count
        }
        return nil
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
