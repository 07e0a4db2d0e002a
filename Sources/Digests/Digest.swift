// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// An incremental message digest (`EVP_Digest…` of libcrypto).
@safe package struct Digest: ~Copyable {
    package enum Algorithm: Sendable {
        /// RFC 1321. Identifies data, but is not cryptographically secure.
        case md5
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
        let method =
            switch algorithm {
            case .md5: unsafe EVP_md5()
            }
        guard unsafe EVP_DigestInit_ex(context, method, nil) == 1 else {
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

    /// The digest in hexadecimal (`EVP_DigestFinal_ex`).
    package consuming func finish() throws(Unavailable) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: CUnsignedInt = 0
        guard unsafe EVP_DigestFinal_ex(context, &bytes, &count) == 1 else {
            throw Unavailable(function: "EVP_DigestFinal_ex")
        }
        return bytes.prefix(Int(count)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
