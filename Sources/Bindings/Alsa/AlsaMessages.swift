// SPDX-License-Identifier: Apache-2.0

internal import CAlsa
internal import EngineRuntime
internal import Glibc

/// What alsa-lib would print on standard error, kept for whoever reports what failed.
enum AlsaMessages {
    /// The first message of each thread since it was last taken.
    private static let said = Locked<[UInt: String]>([:])

    private static var thread: UInt { UInt(pthread_self()) }

    /// Keeps the calling thread's messages from here on (`snd_lib_error_set_local`).
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
        said.withLock { said in
            if said[thread] == nil { said[thread] = text }
        }
    }

    /// The first one that the calling thread has caused since it was last asked.
    static func take() -> String { said.withLock { $0.removeValue(forKey: thread) ?? "" } }
}
