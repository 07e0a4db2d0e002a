// SPDX-License-Identifier: Apache-2.0

internal import CUchardet

/// Guesses the charset of text.
package enum CharsetDetector {
    /// libuchardet's name for the charset, such as `WINDOWS-1251` (`uchardet_get_charset`); `nil` if it cannot tell.
    package static func guess(_ bytes: [UInt8]) -> String? {
        guard let detector = unsafe uchardet_new() else { preconditionFailure("uchardet_new: out of memory") }
        defer { unsafe uchardet_delete(detector) }
        let status = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
                unsafe uchardet_handle_data(detector, characters.baseAddress, characters.count)
            }
        }
        guard status == 0 else { return nil }
        unsafe uchardet_data_end(detector)
        let name = unsafe String(cString: uchardet_get_charset(detector))
        return name.isEmpty ? nil : name
    }
}
