// SPDX-License-Identifier: Apache-2.0

/// EXT-X-KEY or EXT-X-SESSION-KEY (RFC 8216 §4.3.2.4), except METHOD=NONE.
package struct HLSKey: Hashable, Sendable {
    package enum Method: Hashable, Sendable {
        /// Encrypts whole resources: AES-128 in CBC mode, with PKCS7 padding.
        case aes128
        /// Encrypts whole resources: AES-256 in CBC mode, with PKCS7 padding. Not in RFC 8216; some packagers declare
        /// it.
        case aes256
        /// Encrypts single samples: AES-128 in CBC mode; `cbcs` in fMP4.
        case sampleAES
        /// Encrypts single samples: AES-128 in CTR mode; `cenc` in fMP4.
        case sampleAESCTR
        case other(String)

        init(_ word: String) {
            self =
                switch word {
                case "AES-128": .aes128
                case "AES-256", "AES-256-CBC": .aes256
                case "SAMPLE-AES": .sampleAES
                case "SAMPLE-AES-CTR", "SAMPLE-AES-CENC": .sampleAESCTR
                default: .other(word)
                }
        }

        /// The value of METHOD. If a method has two names, the first one that `init` lists.
        package var word: String {
            switch self {
            case .aes128: "AES-128"
            case .aes256: "AES-256"
            case .sampleAES: "SAMPLE-AES"
            case .sampleAESCTR: "SAMPLE-AES-CTR"
            case .other(let word): word
            }
        }
    }

    package var method: Method
    package var url: String
    /// 16 bytes. `nil`: the media sequence number is used (§5.2).
    package var iv: [UInt8]?
    /// In lower case; `identity` unless stated.
    package var format: String
    package var formatVersions: String?

    package static let identityFormat = "identity"

    package init(
        method: Method,
        url: String,
        iv: [UInt8]? = nil,
        format: String = HLSKey.identityFormat,
        formatVersions: String? = nil
    ) {
        self.method = method
        self.url = url
        self.iv = iv
        self.format = format
        self.formatVersions = formatVersions
    }

    /// `nil` for METHOD=NONE. An ambiguous tag is an error, because a wrong key would decrypt to noise.
    init?(_ value: ArraySlice<UInt8>, tag: String, line: Int, reading: inout HLSReading) throws(HLSPlaylistError) {
        let attributes = try HLSAttributes(value, tag: tag, line: line, reading: &reading)
        guard let word = attributes.word("METHOD", &reading) else { throw attributes.missing("METHOD") }
        if word == "NONE" { return nil }
        guard !attributes.isDoubtful else {
            throw HLSPlaylistError(
                .malformed(attribute: ""),
                line: line,
                tag: tag,
                found: String(decoding: value, as: UTF8.self)
            )
        }
        method = Method(word)
        guard let url = try attributes.url("URI", &reading) else { throw attributes.missing("URI") }
        self.url = url
        if attributes.has("IV") {
            guard let bytes = attributes.bytes("IV", &reading), (1...16).contains(bytes.count) else {
                throw attributes.malformed("IV")
            }
            // A shorter number lacks leading zeros.
            iv = [UInt8](repeating: 0, count: 16 - bytes.count) + bytes
        }
        format = attributes.string("KEYFORMAT", &reading)?.lowercased() ?? Self.identityFormat
        formatVersions = attributes.string("KEYFORMATVERSIONS", &reading)
    }
}

/// A byte range of a resource.
package struct HLSByteRange: Hashable, Sendable {
    package var offset: Int64
    package var length: Int64

    package init(offset: Int64, length: Int64) {
        self.offset = offset
        self.length = length
    }

    package var end: Int64 { offset + length }
}

/// EXT-X-MAP (RFC 8216 §4.3.2.5): the initialization section of the entries to which it applies.
package struct HLSMap: Hashable, Sendable {
    package var url: String
    package var byteRange: HLSByteRange?
    /// The keys that apply to the map. Empty if it is not encrypted.
    package var keys: [HLSKey]

    package init(url: String, byteRange: HLSByteRange? = nil, keys: [HLSKey] = []) {
        self.url = url
        self.byteRange = byteRange
        self.keys = keys
    }
}
