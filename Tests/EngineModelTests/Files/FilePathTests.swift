// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable import EngineModel

@Suite("File paths", .timeLimit(.minutes(10)))
struct FilePathTests {
    @Test(
        "A path's text is the path itself if it is UTF-8, otherwise a URL; both convert back exactly",
        arguments: [
            (Array("/films/Amélie.mkv".utf8), "/films/Amélie.mkv"),
            (Array("/a b/100%.mkv".utf8), "/a b/100%.mkv"),
            (
                Array("/films/Am".utf8) + [0xE9] + Array("lie 100%?#.mkv".utf8),
                "file:///films/Am%E9lie%20100%25%3F%23.mkv"
            ),
            ([0x2F, 0xFF, 0x0A, 0x41], "file:///%FF%0AA"),
            // A surrogate and an overlong slash are not UTF-8.
            ([0x2F, 0xED, 0xA0, 0x80], "file:///%ED%A0%80"), ([0x2F, 0xC0, 0xAF], "file:///%C0%AF"),
        ] as [([UInt8], String)]
    )
    func text(_ bytes: [UInt8], text: String) {
        let path = FilePath(bytes)
        #expect(path.text == text)
        #expect((FilePath(fileURL: text) ?? FilePath(text)) == path)
        #expect(FilePath(fileURL: path.fileURL) == path)
    }

    @Test("A URL preserves every byte of a path")
    func everyByte() {
        let path = FilePath([UInt8(ascii: "/")] + Array(1...255))
        #expect(FilePath(fileURL: path.text) == path)
        #expect(path.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }

    @Test(
        "A file: URL has a path if it is absolute, names no other host and has valid percent escapes",
        arguments: [
            ("file:///a%20b/%C3%A9.mkv", "/a b/é.mkv"), ("file:/a", "/a"), ("FILE://localhost/a", "/a"),
            ("file://LocalHost/a", "/a"), ("file:///a%2Fb%2e", "/a/b."), ("file:///a?b#c", "/a?b#c"),
            ("file:///%41%4a%4A", "/AJJ"), ("file:///", "/"),
            ("file:///a%2", nil), ("file:///a%", nil), ("file:///a%+5", nil), ("file:///a% 5", nil),
            ("file:///a%gg", nil),
            ("file://host/a", nil), ("file:a", nil), ("file:", nil), ("file://", nil), ("/a", nil), ("http:///a", nil),
        ] as [(String, String?)]
    )
    func url(_ url: String, path: String?) {
        #expect(FilePath(fileURL: url) == path.map { FilePath($0) })
    }

    @Test(
        "A path is split into folder and name at its last slash",
        arguments: [
            ("/a/b", "/a", "b"), ("/b", "/", "b"), ("b", "", "b"), ("/a/", "/a", ""), ("/", "/", ""), ("", "", ""),
        ]
    )
    func parts(_ path: String, folder: String, name: String) {
        #expect(FilePath(path).folder == FilePath(folder))
        #expect(FilePath(path).name == Array(name.utf8))
    }

    @Test("A name is appended to a folder", arguments: [("/a", "/a/b"), ("/", "/b"), ("/a/", "/a/b"), ("", "b")])
    func below(_ folder: String, path: String) {
        #expect(FilePath(folder).appending("b".utf8) == FilePath(path))
    }
}

@Suite("Bytes as text", .timeLimit(.minutes(10)))
struct ByteTextTests {
    @Test(
        "Any bytes convert to text and back, and UTF-8 stays readable",
        arguments: [
            Array("plain é 映画".utf8), [], [0xFF], [0x41, 0xC3], [0xC3, 0x41], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            // Characters of the range that stands for bytes.
            Array("\u{10FF41}\u{10FFFF}".utf8), Array("a\u{10FF00}".utf8) + [0xE9],
            [0xF0, 0x9F, 0x8E, 0xAC, 0xF0, 0x9F, 0x8E], Array(0...255),
        ] as [[UInt8]]
    )
    func comesBack(_ bytes: [UInt8]) {
        let text = ByteText.text(of: bytes)
        #expect(ByteText.bytes(of: text) == bytes)
        #expect(ByteText.hasEscapes(text) == (Array(text.utf8) != bytes))
        if !ByteText.hasEscapes(text) { #expect(Array(text.utf8) == bytes) }
    }

    @Test("Different bytes are different text")
    func differs() {
        let names: [[UInt8]] = [[0xE9], [0xE8], [0xC3, 0xA9], Array("\u{10FFE9}".utf8)]
        #expect(Set(names.map { ByteText.text(of: $0) }).count == names.count)
    }
}
