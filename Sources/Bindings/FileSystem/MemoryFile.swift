// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Bytes as a file without a name, for C that opens nothing but files (`memfd_create`). Gone with this value.
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
            // The descriptor is closed by `deinit`: all is set by now.
            guard count > 0 else { throw Errno(in: "write") }
            written += count
        }
    }

    deinit { close(descriptor) }

    /// Leads to it for as long as this lives (`proc(5)`).
    var descriptorPath: String { "/proc/self/fd/\(descriptor)" }
}
