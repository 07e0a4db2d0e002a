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

    @Test("MD5 of the vectors of RFC 1321", arguments: vectors)
    func whole(_ vector: (text: String, digest: String)) throws {
        var digest = try Digest(.md5)
        try digest.update(Array(vector.text.utf8).span)
        #expect(try digest.finish() == vector.digest)
    }

    @Test("it does not matter how the bytes are divided", arguments: 1...8)
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
