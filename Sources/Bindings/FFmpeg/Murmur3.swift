// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// MurmurHash3, by libavutil (`av_murmur3_…`).
package enum Murmur3 {
    /// The 128-bit hash of the concatenated parts: 16 bytes. Fast; detects damage, but not forgery.
    package static func hash(_ parts: [UInt8]...) -> [UInt8] {
        guard let context = unsafe av_murmur3_alloc() else { fatalError("av_murmur3_alloc: out of memory") }
        defer { unsafe av_free(UnsafeMutableRawPointer(context)) }
        unsafe av_murmur3_init(context)
        for part in parts { unsafe av_murmur3_update(context, part, part.count) }
        var digest = [UInt8](repeating: 0, count: 16)
        unsafe digest.withUnsafeMutableBufferPointer { unsafe av_murmur3_final(context, $0.baseAddress) }
        return digest
    }
}
