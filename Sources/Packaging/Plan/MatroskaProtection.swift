// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Encryption of the tracks of a Matroska file: ContentEncryption (RFC 9559 §5.1.4.1.31.8).
package enum MatroskaProtection {
    private enum ID {
        static let encodings: UInt64 = 0x6D80
        static let encoding: UInt64 = 0x6240
        static let kind: UInt64 = 0x5033
        static let encryption: UInt64 = 0x5035
        static let algorithm: UInt64 = 0x47E1
        static let keyID: UInt64 = 0x47E2
        static let settings: UInt64 = 0x47E7
        static let mode: UInt64 = 0x47E8
    }

    private static let algorithms: [UInt64: String] = [1: "DES", 2: "3DES", 3: "Twofish", 4: "Blowfish", 5: "AES"]
    private static let modes: [UInt64: String] = [1: "CTR", 2: "CBC"]

    /// By stream index. Empty if the track entries are not within `head`.
    ///
    /// - Parameter head: the beginning of the file.
    package static func find(in head: [UInt8]) -> [Int: ContentProtection] {
        var found: [Int: ContentProtection] = [:]
        for (stream, entry) in MatroskaTracks.streams(inHead: head).enumerated() {
            for encodings in MatroskaElements.children(of: head, in: entry) where encodings.id == ID.encodings {
                for encoding in MatroskaElements.children(of: head, in: encodings.content)
                where encoding.id == ID.encoding {
                    if let protection = protection(head, encoding.content) { found[stream] = protection }
                }
            }
        }
        return found
    }

    /// `nil` for an encoding that is compression.
    private static func protection(_ head: [UInt8], _ encoding: Range<Int>) -> ContentProtection? {
        let children = MatroskaElements.children(of: head, in: encoding)
        func number(_ id: UInt64, in list: [(id: UInt64, content: Range<Int>)]) -> UInt64? {
            list.last { $0.id == id }.flatMap { MatroskaElements.unsigned(head, in: $0.content) }
        }
        guard number(ID.kind, in: children) == 1 else { return nil }
        let encryption = children.last { $0.id == ID.encryption }
        let fields = encryption.map { MatroskaElements.children(of: head, in: $0.content) } ?? []
        let settings = fields.last { $0.id == ID.settings }
        let mode = settings.flatMap { number(ID.mode, in: MatroskaElements.children(of: head, in: $0.content)) }
        let words = [number(ID.algorithm, in: fields).flatMap { algorithms[$0] }, mode.flatMap { modes[$0] }]
        let key = fields.last { $0.id == ID.keyID }.map { head[$0.content].prefix(64) } ?? []
        return ContentProtection(
            scheme: words.compactMap { $0 }.joined(separator: "-"),
            keyID: Hexadecimal.text(key)
        )
    }
}
