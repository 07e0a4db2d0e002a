// SPDX-License-Identifier: Apache-2.0

/// The reason why bytes could not be decrypted.
package enum CipherError: Error, Hashable, Sendable {
    /// The key does not have the length that the cipher needs. Both are in bytes.
    case keyLength(Int, expected: Int)
    /// An initialization vector that is not 16 bytes long.
    case vectorLength(Int)
    /// The ciphertext does not consist of whole blocks of 16 bytes.
    case partialBlock(byteCount: Int)
    /// The last block does not end in PKCS7 padding: the key or the initialization vector is wrong, or bytes are
    /// missing.
    case badPadding
    /// libcrypto refused the call, e.g. because the system's policy forbids the cipher.
    case unavailable(function: String)
}

extension CipherError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keyLength(let count, let expected): "the key has \(count) bytes, not \(expected)"
        case .vectorLength(let count): "the initialization vector has \(count) bytes, not 16"
        case .partialBlock(let count): "\(count) bytes are not a whole number of cipher blocks"
        case .badPadding: "the last block has no valid padding: the key is wrong, or bytes are missing"
        case .unavailable(let function): "libcrypto refused \(function)"
        }
    }
}
