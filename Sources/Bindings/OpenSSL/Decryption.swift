// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// The incremental decryption of one resource or one sample (`EVP_Decrypt…` of libcrypto).
///
/// Thread-safety: unsafe; each value has one owner.
@safe package struct Decryption: ~Copyable {
    package enum Cipher: Hashable, Sendable, CaseIterable {
        case aes128CBC, aes256CBC, aes128CTR

        /// In bytes.
        package var keyLength: Int { self == .aes256CBC ? 32 : 16 }

        var hasBlocks: Bool { self != .aes128CTR }
    }

    /// In bytes, for every cipher.
    package static let blockLength = 16

    private let context: OpaquePointer
    private let cipher: Cipher
    private let isPadded: Bool
    private var byteCount = 0

    /// `EVP_DecryptInit_ex`.
    ///
    /// - Parameters:
    ///   - iv: 16 bytes; for CTR, the first counter block.
    ///   - isPadded: whether the plaintext ends in PKCS7 padding, which is removed. Ignored for CTR.
    package init(
        _ cipher: Cipher,
        key: [UInt8],
        iv: [UInt8],
        isPadded: Bool
    ) throws(CipherError) {
        guard key.count == cipher.keyLength else { throw .keyLength(key.count, expected: cipher.keyLength) }
        guard iv.count == Self.blockLength else { throw .vectorLength(iv.count) }
        unsafe context = try Self.context(cipher, key: key, iv: iv, isPadded: isPadded && cipher.hasBlocks)
        self.cipher = cipher
        self.isPadded = isPadded && cipher.hasBlocks
    }

    private static func context(
        _ cipher: Cipher,
        key: [UInt8],
        iv: [UInt8],
        isPadded: Bool
    ) throws(CipherError) -> OpaquePointer {
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            preconditionFailure("EVP_CIPHER_CTX_new: out of memory")
        }
        let method =
            switch cipher {
            case .aes128CBC: unsafe EVP_aes_128_cbc()
            case .aes256CBC: unsafe EVP_aes_256_cbc()
            case .aes128CTR: unsafe EVP_aes_128_ctr()
            }
        guard unsafe EVP_DecryptInit_ex(context, method, nil, key, iv) == 1 else {
            unsafe EVP_CIPHER_CTX_free(context)
            throw CipherError.unavailable(function: "EVP_DecryptInit_ex")
        }
        // This call always succeeds.
        unsafe EVP_CIPHER_CTX_set_padding(context, isPadded ? 1 : 0)
        return unsafe context
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Decrypts the next bytes and appends the plaintext of all complete blocks (`EVP_DecryptUpdate`). With padding,
    /// the last block is held back until `finish`.
    package mutating func update(_ bytes: Span<UInt8>, into plain: inout [UInt8]) throws(CipherError) {
        var rest = bytes
        while !rest.isEmpty {
            // The C function counts in `int`.
            let count = min(rest.count, Self.pieceLength)
            let piece = rest.extracting(..<count)
            rest = rest.extracting(count...)
            byteCount += count
            try unsafe append(to: &plain, atMost: count + Self.blockLength, "EVP_DecryptUpdate") {
                context,
                output,
                written in
                unsafe piece.withUnsafeBufferPointer { input in
                    unsafe EVP_DecryptUpdate(context, output, written, input.baseAddress, CInt(count))
                }
            }
        }
    }

    /// Appends the block that was held back (`EVP_DecryptFinal_ex`).
    ///
    /// - Throws: `partialBlock` or `badPadding`. With a wrong key, the padding is valid by chance about once in 255
    ///   times.
    package consuming func finish(into plain: inout [UInt8]) throws(CipherError) {
        guard cipher.hasBlocks else { return }
        guard byteCount % Self.blockLength == 0, byteCount > 0 || !isPadded else {
            throw .partialBlock(byteCount: byteCount)
        }
        guard isPadded else { return }
        do throws(CipherError) {
            try unsafe append(to: &plain, atMost: Self.blockLength, "EVP_DecryptFinal_ex") { context, output, written in
                unsafe EVP_DecryptFinal_ex(context, output, written)
            }
        } catch {
            throw .badPadding
        }
    }

    /// Decrypts everything at once.
    package static func plaintext(
        of bytes: [UInt8],
        _ cipher: Cipher,
        key: [UInt8],
        iv: [UInt8],
        isPadded: Bool
    ) throws(CipherError) -> [UInt8] {
        var decryption = try Decryption(cipher, key: key, iv: iv, isPadded: isPadded)
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count + blockLength)
        try decryption.update(bytes.span, into: &plain)
        try decryption.finish(into: &plain)
        return plain
    }

    private static let pieceLength = 1 << 20

    private func append(
        to plain: inout [UInt8],
        atMost count: Int,
        _ function: String,
        _ call: (OpaquePointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<CInt>) -> CInt
    ) throws(CipherError) {
        var status: CInt = 0
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            var written: CInt = 0
            status = unsafe call(context, buffer.baseAddress, &written)
            filled = status == 1 ? Int(written) : 0
        }
        guard status == 1 else {
            // libcrypto queues errors per thread, where a later TLS call would find them.
            ERR_clear_error()
            throw .unavailable(function: function)
        }
        plain += piece
    }
}
