// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// An incremental message digest (`EVP_Digest…` of libcrypto).
@safe package struct Digest: ~Copyable {
    package enum Algorithm: Sendable {
        /// RFC 1321. Identifies data, but is not cryptographically secure.
        case md5
        /// FIPS 180-4. For protocols that require it; not collision-resistant.
        case sha1
        /// FIPS 180-4. Collision-resistant.
        case sha256

        fileprivate var method: OpaquePointer? {
            switch self {
            case .md5: unsafe EVP_md5()
            case .sha1: unsafe EVP_sha1()
            case .sha256: unsafe EVP_sha256()
            }
        }
    }

    /// libcrypto refused the call, e.g. because the system's policy forbids the algorithm.
    package struct Unavailable: Error, Hashable {
        package let function: String
    }

    private let context: OpaquePointer

    /// `EVP_DigestInit_ex`.
    package init(_ algorithm: Algorithm) throws(Unavailable) {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("EVP_MD_CTX_new: out of memory") }
        unsafe self.context = context
        guard unsafe EVP_DigestInit_ex(context, algorithm.method, nil) == 1 else {
            throw Unavailable(function: "EVP_DigestInit_ex")
        }
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Appends bytes (`EVP_DigestUpdate`).
    package mutating func update(_ bytes: Span<UInt8>) throws(Unavailable) {
        let status = unsafe bytes.withUnsafeBufferPointer { pointer in
            unsafe EVP_DigestUpdate(context, pointer.baseAddress, pointer.count)
        }
        guard status == 1 else { throw Unavailable(function: "EVP_DigestUpdate") }
    }

    /// The digest of all appended bytes (`EVP_DigestFinal_ex`).
    package consuming func finish() throws(Unavailable) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: CUnsignedInt = 0
        guard unsafe EVP_DigestFinal_ex(context, &bytes, &count) == 1 else {
            throw Unavailable(function: "EVP_DigestFinal_ex")
        }
        return Array(bytes.prefix(Int(count)))
    }
}

extension Digest {
    /// The SHA-256 digest: 32 bytes.
    package static func sha256(_ bytes: [UInt8]) throws(Unavailable) -> [UInt8] {
        var digest = try Digest(.sha256)
        try digest.update(bytes.span)
        return try digest.finish()
    }

    /// HMAC (RFC 2104) with the given digest (`HMAC`).
    package static func hmac(
        _ algorithm: Algorithm,
        of message: [UInt8],
        key: [UInt8]
    ) throws(Unavailable) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: CUnsignedInt = 0
        let result = unsafe HMAC(
            algorithm.method,
            key,
            CInt(key.count),
            message,
            message.count,
            &bytes,
            &count
        )
        guard unsafe result != nil else { throw Unavailable(function: "HMAC") }
        return Array(bytes.prefix(Int(count)))
    }
}
