// SPDX-License-Identifier: Apache-2.0

/// The frame tag of VP8 (RFC 6386 §9.1).
package enum VP8Frame {
    /// Whether a frame is displayed, rather than only referred to. An empty frame repeats the one before it.
    package static func isShown(_ bytes: Span<UInt8>) -> Bool { bytes.isEmpty || bytes[0] & 0x10 != 0 }
}
