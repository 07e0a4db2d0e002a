// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// The calling thread's name, as `ps -T` shows it.
package func currentThreadName() -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
        unsafe csystem_get_thread_name(buffer.baseAddress, 16)
        return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// Whether the calling thread belongs to a `ThreadExecutor`, so that C calls may block it.
package var isBlockingThread: Bool { csystem_is_blocking_thread() }

/// Sets the calling thread's name in `ps -T`, truncated to 15 bytes. For event loop threads, which the engine does not
/// start itself.
package func nameCurrentThread(_ name: String) {
    unsafe csystem_set_thread_name(String(decoding: name.utf8.prefix(15), as: UTF8.self))
}
