// SPDX-License-Identifier: Apache-2.0

internal import CAlsa
internal import EngineRuntime
internal import Glibc

/// Captures what alsa-lib would print on standard error, so that errors can include it.
enum AlsaMessages {
    /// Per thread, the first message since the last `take()`.
    private static let messages = Locked<[UInt: String]>([:])

    private static var thread: UInt { UInt(pthread_self()) }

    /// Captures the calling thread's messages from now on (`snd_lib_error_set_local`).
    static func keep() {
        _ = unsafe snd_lib_error_set_local { _, _, _, status, format, arguments in
            guard let format = unsafe format, let arguments = unsafe arguments else { return }
            let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
                guard unsafe vsnprintf(buffer.baseAddress, buffer.count, format, arguments) > 0 else { return "" }
                return unsafe String(decoding: UnsafeRawBufferPointer(buffer).prefix { $0 != 0 }, as: UTF8.self)
            }
            let reason = status == 0 ? "" : unsafe snd_strerror(status).map { unsafe ": " + String(cString: $0) } ?? ""
            AlsaMessages.note(text + reason)
        }
    }

    private static func note(_ text: String) {
        messages.withLock { messages in
            if messages[thread] == nil { messages[thread] = text }
        }
    }

    /// Returns and removes the first message that the calling thread has caused since the last call.
    static func take() -> String { messages.withLock { $0.removeValue(forKey: thread) ?? "" } }
}
