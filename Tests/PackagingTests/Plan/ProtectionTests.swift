// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Packaging

@Suite("Encryption that containers declare")
struct ProtectionTests {
    private static func word(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        word(content.count + 8) + Array(type.utf8) + content
    }

    private static func entry(_ type: String, fields: Int = 78, _ inner: [UInt8] = []) -> [UInt8] {
        box(type, [UInt8](repeating: 0, count: fields) + inner)
    }

    private static func information(_ scheme: String, key: [UInt8] = Array(0..<16)) -> [UInt8] {
        let encryption = box("tenc", word(0) + [0, 0, 1, 8] + key)
        return box(
            "sinf",
            box("frma", Array("avc1".utf8)) + box("schm", word(0) + Array(scheme.utf8) + word(0x10000))
                + box("schi", encryption)
        )
    }

    /// A movie with one track per list of entries, followed by boxes for all tracks.
    private static func movie(_ tracks: [[[UInt8]]], beside: [UInt8] = []) -> [UInt8] {
        let all = tracks.map { entries in
            let list = box("stsd", word(0) + word(entries.count) + entries.flatMap { $0 })
            return box("trak", box("mdia", box("minf", box("stbl", list))))
        }
        return box("moov", all.flatMap { $0 } + beside)
    }

    private static func system(_ identifier: String) -> [UInt8] {
        box("pssh", word(0) + hex(identifier) + word(0))
    }

    private static let widevine = system("edef8ba979d64acea3c827dcd51d21ed")
    private static let playReady = system("9a04f07998404286ab92e65be0885f95")
    private static let unknown = system("000102030405060708090a0b0c0d0e0f")
    private static let piff = box(
        "uuid",
        hex("d08a4f1810f34a82b6c832d8aba183d3") + word(0) + hex("9a04f07998404286ab92e65be0885f95") + word(0)
    )
    private static let keyID = "000102030405060708090a0b0c0d0e0f"

    @Test(
        "scheme, key systems and key ID of a track",
        arguments: [
            ([entry("avc1")], widevine, nil),
            (
                [entry("encv", information("cenc"))], widevine + playReady + widevine,
                ContentProtection(scheme: "cenc", keySystems: ["Widevine", "PlayReady"], keyID: keyID)
            ),
            ([entry("enca", fields: 28, information("cbcs"))], [], ContentProtection(scheme: "cbcs", keyID: keyID)),
            (
                [entry("encv", information("piff"))], piff,
                ContentProtection(scheme: "piff", keySystems: ["PlayReady"], keyID: keyID)
            ),
            (
                [entry("encv", information("cens"))], unknown,
                ContentProtection(
                    scheme: "cens",
                    keySystems: ["00010203-0405-0607-0809-0a0b0c0d0e0f"],
                    keyID: keyID
                )
            ),
            // The first samples are in the clear.
            ([entry("avc1"), entry("encv", information("cbc1"))], [], ContentProtection(scheme: "cbc1", keyID: keyID)),
            ([entry("encv")], [], ContentProtection(scheme: "")),
            ([entry("encv", fields: 3)], [], ContentProtection(scheme: "")),
            ([entry("drms", fields: 28)], [], ContentProtection(scheme: "itun", keySystems: ["FairPlay"])),
            (
                [entry("encv", information("itun"))], widevine,
                ContentProtection(scheme: "itun", keySystems: ["FairPlay"])
            ),
            ([entry("aavd", fields: 28)], [], ContentProtection(scheme: "adrm", keySystems: ["Audible"])),
        ] as [([[UInt8]], [UInt8], ContentProtection?)]
    )
    func movies(entries: [[UInt8]], beside: [UInt8], expected: ContentProtection?) {
        let protection = MovieProtection(
            movie: Self.movie([[Self.entry("mp4a", fields: 28)], entries], beside: beside)
        )
        #expect(protection.ofTrack(0) == nil)
        #expect(protection.ofTrack(1) == expected)
        #expect(protection.ofTrack(2) == nil)
    }

    @Test("key systems named in fragments are added to those of the movie")
    func fragments() {
        let movie = Self.movie([[Self.entry("encv", Self.information("cenc"))]], beside: Self.playReady)
        func systems(_ fragments: [[UInt8]]) -> [String]? {
            MovieProtection(movie: movie, fragments: fragments.flatMap { Self.box("moof", $0) }).ofTrack(0)?.keySystems
        }
        #expect(systems([]) == ["PlayReady"])
        let header = Self.box("mfhd", Self.word(0) + Self.word(1))
        #expect(systems([header, header + Self.widevine + Self.playReady]) == ["PlayReady", "Widevine"])
        #expect(systems([Self.widevine, Self.piff]) == ["PlayReady", "Widevine"])
        #expect(MovieProtection.isDeclared(inMovie: movie))
        #expect(!MovieProtection.isDeclared(inMovie: Self.movie([[Self.entry("avc1")]], beside: Self.widevine)))
    }

    private static func element(_ id: String, _ content: [UInt8]) -> [UInt8] {
        hex(id) + [0x40, UInt8(content.count)] + content
    }

    /// A track whose codec is one byte long, with ContentEncodings.
    private static func track(type: UInt8, _ encodings: [UInt8]) -> [UInt8] {
        element("ae", element("83", [type]) + element("86", [0x56]) + encodings)
    }

    private static func file(_ tracks: [[UInt8]]) -> [UInt8] {
        element("1a45dfa3", []) + hex("18538067 01ffffffffffffff") + element("1654ae6b", tracks.flatMap { $0 })
    }

    private static func encodings(kind: UInt8, _ encryption: [UInt8]) -> [UInt8] {
        element("6d80", element("6240", element("5033", [kind]) + element("5035", encryption)))
    }

    @Test("cipher and key ID of each Matroska stream")
    func matroska() {
        let counter =
            Self.element("47e1", [5]) + Self.element("47e2", [0x0A, 0xFF])
            + Self.element("47e7", Self.element("47e8", [1]))
        let found = MatroskaProtection.find(
            in: Self.file([
                Self.track(type: 1, Self.encodings(kind: 1, counter)),
                // libavformat makes no stream of a buttons track.
                Self.track(type: 0x12, Self.encodings(kind: 1, counter)),
                Self.track(type: 2, Self.encodings(kind: 0, [])),
                Self.track(type: 2, Self.encodings(kind: 1, Self.element("47e1", [4]))),
                Self.track(type: 2, Self.encodings(kind: 1, [])),
            ])
        )
        #expect(
            found == [
                0: ContentProtection(scheme: "AES-CTR", keyID: "0aff"), 2: ContentProtection(scheme: "Blowfish"),
                3: ContentProtection(scheme: ""),
            ]
        )
        #expect(MatroskaProtection.find(in: []).isEmpty)
    }

    @Test("the declaration is described in words")
    func words() {
        let none = ContentProtection(scheme: "")
        #expect("\(none)" == "encrypted with an undeclared scheme for an undeclared key system")
        let one = ContentProtection(scheme: "cenc", keySystems: ["Widevine"])
        #expect("\(one)" == "encrypted with cenc for Widevine")
        let three = ContentProtection(scheme: "cbcs", keySystems: ["Widevine", "PlayReady", "FairPlay"])
        #expect("\(three)" == "encrypted with cbcs for Widevine, PlayReady and FairPlay")
    }

    @Test("arbitrary bytes do not trap", arguments: 0..<80)
    func garbage(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        let movie = Self.movie([[Self.entry("encv", Self.information("cenc"))]], beside: Self.widevine + Self.piff)
        let file = Self.file([Self.track(type: 1, Self.encodings(kind: 1, Self.element("47e2", [1, 2])))])
        for source in [movie, file] {
            var bytes = source
            for _ in 0..<6 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            #expect((MovieProtection(movie: bytes).ofTrack(0)?.keyID.count ?? 0) <= 32)
            #expect(MatroskaProtection.find(in: bytes).count <= bytes.count)
        }
    }
}
