// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads a pipe or a terminal on a thread that may block.
///
/// Foundation's `FileHandle` ends the process if `read(2)` fails, for example because a signal interrupted it or the
/// terminal was closed.
package struct BlockingInput: Sendable {
    private let descriptor: CInt

    /// - Parameter descriptor: the caller keeps it open while it reads.
    package init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Waits for the next bytes.
    ///
    /// - Returns: empty at the end of the input and after an error, except an interrupted wait, which is resumed.
    package func next() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
            var got = 0
            repeat { got = unsafe read(descriptor, buffer.baseAddress, buffer.count) } while got < 0 && errno == EINTR
            count = max(0, got)
        }
    }

    /// Waits for the end of the input and returns everything before it.
    package func all() -> [UInt8] {
        var bytes: [UInt8] = []
        while case let more = next(), !more.isEmpty { bytes += more }
        return bytes
    }
}
