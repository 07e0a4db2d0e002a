// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// An anonymous file in memory, for C libraries that read only files (`memfd_create`). It is freed with this value.
package final class MemoryFile: Sendable {
    private let descriptor: CInt

    package init(_ bytes: [UInt8]) throws(Errno) {
        let descriptor = unsafe csystem_memory_file("engined")
        guard descriptor >= 0 else { throw Errno(in: "memfd_create") }
        self.descriptor = descriptor
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            // `deinit` closes the descriptor, because every property is set by now.
            guard count > 0 else { throw Errno(in: "write") }
            written += count
        }
    }

    deinit { close(descriptor) }

    /// A path that opens the file as long as this value lives (`proc(5)`).
    var descriptorPath: String { "/proc/self/fd/\(descriptor)" }
}
