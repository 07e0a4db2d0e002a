// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Digests of bytes by libavutil.
package enum ByteDigest {
    /// SHA-256 (FIPS 180-4): 32 bytes. Collision-resistant.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { sha(bytes, bits: 256) }

    /// HMAC with SHA-1 (RFC 2104): 20 bytes.
    static func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var key = key.count > 64 ? sha(key, bits: 160) : key
        key += [UInt8](repeating: 0, count: 64 - key.count)
        return sha(key.map { $0 ^ 0x5C } + sha(key.map { $0 ^ 0x36 } + message, bits: 160), bits: 160)
    }

    private static func sha(_ bytes: [UInt8], bits: CInt) -> [UInt8] {
        guard let context = unsafe av_sha_alloc() else { fatalError("av_sha_alloc: out of memory") }
        defer { unsafe av_free(UnsafeMutableRawPointer(context)) }
        let status = unsafe av_sha_init(context, bits)
        precondition(status == 0, "av_sha_init: \(status)")
        unsafe av_sha_update(context, bytes, bytes.count)
        var digest = [UInt8](repeating: 0, count: Int(bits) / 8)
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
