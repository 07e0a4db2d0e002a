// SPDX-License-Identifier: Apache-2.0

/// The decryption that a resource of an HLS presentation needs (RFC 8216 §4.3.2.4, §5).
package enum HLSProtection: Hashable, Sendable {
    case none
    /// The whole resource, or each byte range by itself: AES in CBC mode with PKCS7 padding.
    case resource(Cipher, keyURL: String, iv: [UInt8])
    /// Single samples, with a 128-bit key.
    ///
    /// - Parameter iv: for transport streams and packed audio. fMP4 carries its own.
    case samples(Scheme, keyURL: String, iv: [UInt8])

    package enum Cipher: Hashable, Sendable {
        case aes128, aes256

        /// In bytes.
        package var keyLength: Int { self == .aes128 ? 16 : 32 }
    }

    package enum Scheme: Hashable, Sendable {
        /// SAMPLE-AES: CBC; `cbcs` in fMP4.
        case cbc
        /// SAMPLE-AES-CTR: `cenc` in fMP4.
        case ctr
    }

    /// Why the engine cannot decrypt a resource.
    package enum Failure: Error, Hashable, Sendable {
        /// Only these DRM systems can get the key.
        case keySystems([String])
        case method(String)
        /// A map is encrypted as a whole, and its key has no IV (§4.3.2.5). A map has no media sequence number to use
        /// instead.
        case noVector
    }

    /// - Parameters:
    ///   - keys: the keys that apply to the resource. One with the format `identity` is required to decrypt it.
    ///   - sequence: the media sequence number. `nil` for a map.
    package init(keys: [HLSKey], sequence: Int64?) throws(Failure) {
        guard !keys.isEmpty else {
            self = .none
            return
        }
        guard let key = keys.first(where: { $0.format == HLSKey.identityFormat }) else {
            var names: [String] = []
            for name in keys.map({ KeySystem.name(keyFormat: $0.format) }) where !names.contains(name) {
                names.append(name)
            }
            throw .keySystems(names)
        }
        switch key.method {
        case .aes128, .aes256:
            guard let iv = key.iv ?? sequence.map(Self.iv) else { throw .noVector }
            self = .resource(key.method == .aes128 ? .aes128 : .aes256, keyURL: key.url, iv: iv)
        case .sampleAES, .sampleAESCTR:
            // A map contains no samples, so its IV is not used.
            let iv = key.iv ?? Self.iv(sequence ?? 0)
            self = .samples(key.method == .sampleAES ? .cbc : .ctr, keyURL: key.url, iv: iv)
        case .other(let word): throw .method(word)
        }
    }

    /// The media sequence number as 128 bits, big-endian (§5.2).
    package static func iv(_ sequence: Int64) -> [UInt8] {
        (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: sequence >> (8 * (15 - $0))) }
    }
}

extension HLSProtection.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keySystems(let names): "the key is given to \(names.joined(separator: ", ")) only"
        case .method(let word): "the encryption method \(word) is unknown"
        case .noVector: "EXT-X-MAP is encrypted, and its EXT-X-KEY has no IV"
        }
    }
}
