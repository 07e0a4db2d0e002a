// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@Suite("Detecting the encoding of text", .timeLimit(.minutes(10)))
struct TextEncodingTests {
    private static func wide(_ text: String, isBigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    @Test(
        "Byte order marks determine the encoding",
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0x41], TextEncoding.utf8, 3), ([0xFF, 0xFE, 0x41, 0], .utf16LittleEndian, 2),
            ([0xFE, 0xFF, 0, 0x41], .utf16BigEndian, 2), ([0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0], .utf32LittleEndian, 4),
            ([0, 0, 0xFE, 0xFF, 0, 0, 0, 0x41], .utf32BigEndian, 4), ([], .utf8, 0), ([0xFF], .legacy, 0),
        ] as [([UInt8], TextEncoding, Int)]
    )
    func marks(_ bytes: [UInt8], encoding: TextEncoding, length: Int) {
        #expect(TextEncoding.of(bytes) == (encoding, length))
    }

    @Test("UTF-16 needs no mark", arguments: ["1\n00:00:01,000 --> 00:00:02,000\nпривет\n", "00:00:01,000\n你好你好你好\n"])
    func unmarked(_ text: String) {
        #expect(TextEncoding.of(Self.wide(text, isBigEndian: false)).encoding == .utf16LittleEndian)
        #expect(TextEncoding.of(Self.wide(text, isBigEndian: true)).encoding == .utf16BigEndian)
    }

    @Test("UTF-8 with a few damaged places is UTF-8, other bytes are not")
    func damaged() {
        let text = Array("Здравствуйте, как поживаете?".utf8)
        #expect(TextEncoding.of(text).encoding == .utf8)
        #expect(TextEncoding.of(text + [0xFF, 0x41, 0xD0]).encoding == .utf8)
        #expect(TextEncoding.of(Array(text.dropFirst())).encoding == .utf8)
        #expect(TextEncoding.of(Array("caf".utf8) + [0xE9]).encoding == .legacy)
        // An overlong slash, a surrogate, a value beyond the last code point: none is UTF-8.
        for bytes in [[0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
            #expect(TextEncoding.of(bytes).encoding == .legacy)
        }
        // ISO 2022 is a 7-bit encoding, like ASCII.
        #expect(TextEncoding.of([0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42]).encoding == .legacy)
    }

    @Test("A few NUL bytes do not make a text UTF-16")
    func nulls() {
        #expect(TextEncoding.of(Array("1\n00:00:01,000 --> 00:00:02,000\na\0b\0\0\n".utf8)).encoding == .utf8)
    }
}

@Suite("URLs of subtitle files", .timeLimit(.minutes(10)))
struct ServerAddressTests {
    @Test(
        "Texts that are not URLs with a host are rejected",
        arguments: [
            "", "/a", "sftp://", "://a/b", "http://", "http:///a", "http://user@/a", "https://a b/c", "http://a/\u{7F}",
            "file:///a",
        ]
    )
    func refused(_ url: String) { #expect(ServerAddress(url) == nil) }

    @Test("Passwords and queries are not shown, extensions are replaced before the query")
    func parts() throws {
        #expect(ServerAddress("http://u:p@h:80/a?b")?.shown == "http://h/a")
        #expect(ServerAddress("http://h/a.srt?token=1#f")?.shown == "http://h/a.srt")
        #expect(
            ServerAddress("http://h/a.idx?k=1#f")?.replacingExtension(".idx", by: ".sub")?.url == "http://h/a.sub?k=1#f"
        )
        #expect(ServerAddress("http://h/a.srt?k=.idx")?.replacingExtension(".idx", by: ".sub") == nil)
        #expect(ServerAddress("http://h")?.name.isEmpty == true)
        #expect(ServerAddress("https://Example.org/a/film.en.srt?x=/1#y")?.name == "film.en.srt")
        #expect(ServerAddress("smb://W;u:p@h/s/a.srt?password=b")?.shown == "smb://h/s/a.srt")
        #expect(
            ServerAddress("smb://h/s/a.idx?k=1")?.replacingExtension(".idx", by: ".sub")?.url == "smb://h/s/a.sub?k=1"
        )
    }

    @Test("A question mark in a URL of SFTP or FTP is part of the file's name")
    func withoutQueries() {
        for scheme in ["sftp", "ftp", "ftps", "ftpes"] {
            let address = ServerAddress("\(scheme)://u:p@h/a b/who?.srt")
            #expect(address?.name == "who?.srt" && address?.shown == "\(scheme)://h/a b/who?.srt")
        }
        #expect(ServerAddress("davs://u@h/a.srt")?.shown == "https://h/a.srt")
        #expect(ServerAddress("sftp://h:22/a.srt#x")?.shown == "sftp://h/a.srt")
    }
}
