// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime
internal import Glibc

/// A file open for writing at any offset.
package final class OutputFile: Sendable {
    private let descriptor: CInt

    /// Creates or empties the file (`open(2)`, `ftruncate(2)`). Does not block on a FIFO; fails for anything but a
    /// regular file.
    package init(_ path: FilePath) throws(Errno) {
        let descriptor: CInt
        do throws(SystemError) {
            let flags = O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY
            descriptor = try NamedFile.open(path.bytes, flags: flags, mode: 0o600)
        } catch {
            throw Errno(error)
        }
        guard ftruncate(descriptor, 0) == 0 else {
            let error = Errno(in: "ftruncate")
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

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
}
