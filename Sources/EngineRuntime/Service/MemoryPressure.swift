// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Tells when memory is short, as the kernel or the service manager sees it (Documentation/accounting/psi.rst).
///
/// An actor with a thread of its own, which sleeps in poll(2).
package actor MemoryPressure {
    private let executor = ThreadExecutor(name: "pressure")
    private let descriptor: CInt

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// `nil` if nobody tells this process.
    ///
    /// - Parameters:
    ///   - path: of the kernel's file, or of a FIFO.
    ///   - words: say what counts as short. They are written to `path`.
    package init?(path: String, words: [UInt8]) {
        descriptor = unsafe words.withUnsafeBytes { words in
            unsafe csystem_watch_pressure(path, words.baseAddress, words.count)
        }
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Waits until memory is short. Blocks the actor's thread, and cannot be cancelled.
    ///
    /// - Returns: `false` if nobody tells any more.
    package func isShort() -> Bool { csystem_await_pressure(descriptor) == 0 }
}
