// SPDX-License-Identifier: Apache-2.0

import Digests
import Testing

@Suite("Digests", .timeLimit(.minutes(10)))
struct DigestTests {
    /// RFC 1321 §A.5.
    static let vectors: [(text: String, digest: String)] = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    ]

    @Test("MD5 gives the digests that RFC 1321 states", arguments: vectors)
    func whole(_ vector: (text: String, digest: String)) throws {
        var digest = try Digest(.md5)
        try digest.update(Array(vector.text.utf8).span)
        #expect(hexadecimal(try digest.finish()) == vector.digest)
    }

    @Test("SHA-256 (FIPS 180-4) gives the known digest of `abc`")
    func secure() throws {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(hexadecimal(try Digest.sha256(Array("abc".utf8))) == expected)
    }

    @Test("HMAC-SHA1 gives the digests that RFC 2202 states")
    func authenticates() throws {
        let message = Array("what do ya want for nothing?".utf8)
        let digest = try Digest.hmac(.sha1, of: message, key: Array("Jefe".utf8))
        #expect(hexadecimal(digest) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        let long = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        let other = try Digest.hmac(.sha1, of: long, key: Array(repeating: 0xAA, count: 80))
        #expect(hexadecimal(other) == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("a digest does not depend on how its bytes are divided", arguments: 1...8)
    func pieces(_ length: Int) throws {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var whole = try Digest(.md5)
        try whole.update(bytes.span)
        var parts = try Digest(.md5)
        for start in stride(from: 0, to: bytes.count, by: length) {
            try parts.update(Array(bytes[start..<min(start + length, bytes.count)]).span)
        }
        let expected = try whole.finish()
        #expect(try parts.finish() == expected)
    }
}
