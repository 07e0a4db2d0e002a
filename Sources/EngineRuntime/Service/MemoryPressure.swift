// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Waits for reports that memory is short, from the kernel (Documentation/accounting/psi.rst) or the service manager.
///
/// The actor has its own thread, which sleeps in poll(2).
package actor MemoryPressure {
    private let executor = ThreadExecutor(name: "pressure")
    private let descriptor: CInt

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// Returns `nil` if `path` cannot be opened or written.
    ///
    /// - Parameters:
    ///   - path: the kernel's file, or a FIFO.
    ///   - words: the trigger, i.e. what counts as short. It is written to `path`.
    package init?(path: String, words: [UInt8]) {
        descriptor = unsafe words.withUnsafeBytes { words in
            unsafe csystem_watch_pressure(path, words.baseAddress, words.count)
        }
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Waits until memory is short. Blocks the actor's thread, and cannot be cancelled.
    ///
    /// - Returns: `false` if no more reports can come.
    package func isShort() -> Bool { csystem_await_pressure(descriptor) == 0 }
}
