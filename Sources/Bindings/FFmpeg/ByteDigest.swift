// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Digests of bytes by libavutil.
package enum ByteDigest {
    /// SHA-256 (FIPS 180-4): 32 bytes. Collision-resistant.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        guard let context = unsafe av_sha_alloc() else { fatalError("av_sha_alloc: out of memory") }
        defer { unsafe av_free(UnsafeMutableRawPointer(context)) }
        let status = unsafe av_sha_init(context, 256)
        precondition(status == 0, "av_sha_init: \(status)")
        unsafe av_sha_update(context, bytes, bytes.count)
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe digest.withUnsafeMutableBufferPointer { unsafe av_sha_final(context, $0.baseAddress) }
        return digest
    }

    /// The 128-bit MurmurHash3 of the concatenated parts: 16 bytes. Fast; detects damage, but not forgery.
    package static func murmur3(_ parts: [UInt8]...) -> [UInt8] {
        guard let context = unsafe av_murmur3_alloc() else { fatalError("av_murmur3_alloc: out of memory") }
        defer { unsafe av_free(UnsafeMutableRawPointer(context)) }
        unsafe av_murmur3_init(context)
        for part in parts { unsafe av_murmur3_update(context, part, part.count) }
        var digest = [UInt8](repeating: 0, count: 16)
        unsafe digest.withUnsafeMutableBufferPointer { unsafe av_murmur3_final(context, $0.baseAddress) }
        return digest
    }
}
