// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@Suite struct DecryptionTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8).map { $0 < 0x40 ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// NIST SP 800-38A: F.2.2, F.2.6 and F.5.2, without padding.
    private static let vectors: [(Decryption.Cipher, key: String, iv: String, cipher: String)] = [
        (
            .aes128CBC, "2b7e151628aed2a6abf7158809cf4f3c", "000102030405060708090a0b0c0d0e0f",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
        ),
        (
            .aes256CBC, "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "000102030405060708090a0b0c0d0e0f",
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
        ),
        (
            .aes128CTR, "2b7e151628aed2a6abf7158809cf4f3c", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                + "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
        ),
    ]
    private static let plain = bytes(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    )

    @Test("NIST's test vectors are decrypted", arguments: 0..<3)
    func vectors(_ index: Int) throws {
        let (cipher, key, iv, text) = Self.vectors[index]
        let plain = try Decryption.plaintext(
            of: Self.bytes(text),
            cipher,
            key: Self.bytes(key),
            iv: Self.bytes(iv),
            isPadded: false
        )
        #expect(plain == Self.plain)
    }

    @Test("The plaintext does not depend on how the bytes are divided", arguments: [1, 5, 16, 17, 64])
    func pieces(_ count: Int) throws {
        let (cipher, key, iv, text) = Self.vectors[0]
        let bytes = Self.bytes(text)
        var decryption = try Decryption(cipher, key: Self.bytes(key), iv: Self.bytes(iv), isPadded: false)
        var plain: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: count) {
            try decryption.update(Array(bytes[start..<min(bytes.count, start + count)]).span, into: &plain)
        }
        try decryption.finish(into: &plain)
        #expect(plain == Self.plain)
    }

    /// `printf 'hello' | openssl enc -aes-128-cbc -K 00010203… -iv 0f0e0d0c…`.
    private static let padded = bytes("181547ce6a5438cb22241856b35cc489")
    private static let key = [UInt8](0...15)
    private static let iv = [UInt8]((0...15).reversed())

    @Test("Padding is removed")
    func padding() throws {
        let plain = try Decryption.plaintext(of: Self.padded, .aes128CBC, key: Self.key, iv: Self.iv, isPadded: true)
        #expect(plain == Array("hello".utf8))
    }

    @Test("A failed decryption reports its cause")
    func failures() {
        let wrong = [UInt8](repeating: 7, count: 16)
        let cases: [(bytes: [UInt8], key: [UInt8], iv: [UInt8], CipherError)] = [
            (Self.padded, Array(Self.key.dropLast()), Self.iv, .keyLength(15, expected: 16)),
            (Self.padded, Self.key, [], .vectorLength(0)),
            (Self.padded, wrong, Self.iv, .badPadding),
            (Array(Self.padded.dropLast()), Self.key, Self.iv, .partialBlock(byteCount: 15)),
            ([], Self.key, Self.iv, .partialBlock(byteCount: 0)),
        ]
        for (bytes, key, iv, expected) in cases {
            #expect(throws: expected) {
                try Decryption.plaintext(of: bytes, .aes128CBC, key: key, iv: iv, isPadded: true)
            }
        }
    }
}
