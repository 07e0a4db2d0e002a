// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@testable import Transfers

@Suite("Listings of folders")
struct FolderListingTests {
    private static let limit = FolderListing.nameLimit

    private func text(_ names: [[UInt8]]) -> [String] { names.map { String(decoding: $0, as: UTF8.self) } }

    @Test(
        "Lists of names leave out what is not the name of a file in the folder",
        arguments: [
            ("a.mkv\r\nb.srt\r\n", "\n", ["a.mkv", "b.srt"]), ("a.mkv\nb.srt", "\n", ["a.mkv", "b.srt"]),
            ("a.mkv\0b.srt\0", "\0", ["a.mkv", "b.srt"]), ("", "\n", []), ("\n\n\r\n", "\n", []),
            (".\n..\n...\n.hidden\n", "\n", ["...", ".hidden"]), ("../b.srt\n/etc/passwd\na/b\n\n", "\n", []),
            ("a\u{1}b\na\u{7F}\na\tb\n", "\n", []), ("a\nb\0", "\0", []), ("ä b%20.srt\0", "\0", ["ä b%20.srt"]),
            ("a\r\0", "\0", []),
        ]
    )
    func names(list: String, end: String, names: [String]) throws {
        let end = try #require(end.utf8.first)
        #expect(text(try FolderListing.names(endedBy: end, in: Array(list.utf8))) == names)
    }

    @Test("Names need not be UTF-8")
    func bytes() throws {
        let name: [UInt8] = [0x66, 0xFC, 0x72, 0x2E, 0x73, 0x72, 0x74]
        #expect(try FolderListing.names(endedBy: 0x0A, in: name + [0x0A]) == [name])
        let answer = "<multistatus><response><href>/f%FCr.srt</href></response></multistatus>"
        #expect(try FolderListing.names(inMultistatus: Array(answer.utf8), of: [0x2F]) == [name])
    }

    @Test("A list with too many names is refused")
    func limits() throws {
        let list = Array(repeatElement("a\n", count: Self.limit).joined().utf8)
        #expect(try FolderListing.names(endedBy: 0x0A, in: list).count == Self.limit)
        #expect(throws: FolderListing.Failure.tooMany) {
            try FolderListing.names(endedBy: 0x0A, in: list + list.prefix(2))
        }
        let files = repeatElement("<response><href>/x</href></response>", count: Self.limit + 1).joined()
        #expect(throws: FolderListing.Failure.tooMany) {
            try FolderListing.names(inMultistatus: Array("<multistatus>\(files)</multistatus>".utf8), of: [0x2F])
        }
    }

    private static func response(_ reference: String, _ type: String = "", prefix: String = "D:") -> String {
        """
        <\(prefix)response><\(prefix)href>\(reference)</\(prefix)href><\(prefix)propstat><\(prefix)prop>
        <\(prefix)resourcetype>\(type)</\(prefix)resourcetype></\(prefix)prop>
        <\(prefix)status>HTTP/1.1 200 OK</\(prefix)status></\(prefix)propstat></\(prefix)response>
        """
    }

    @Test(
        "The answer to a PROPFIND lists the files that are directly in the folder",
        arguments: [
            (response("/a%20b/film.mkv"), ["film.mkv"]),
            (response("http://other.example/a%20b/film.srt"), ["film.srt"]),
            (response(" /a b/%C3%A4 %26.srt\n"), ["ä &.srt"]), (response("/a%20b/x&amp;y.srt"), ["x&y.srt"]),
            // Folders, and the folder itself.
            (response("/a%20b/", "<D:collection/>"), []), (response("/a%20b/Subs", "<D:collection/>"), []),
            (response("/a%20b/Subs/"), []),
            // Not in the folder.
            (response("/film.srt"), []), (response("/a%20b/Subs/film.srt"), []), (response("/a%20b/%2e%2e"), []),
            (response("/a%20b/..%2Ffilm.srt"), []), (response("/a%20b%2Ffilm.srt"), ["film.srt"]),
            (response("/a%20b/film%0A.srt"), []), (response("/a%20b/film%2.srt"), []), (response(""), []),
            (response("film.srt"), []),
            // References elsewhere in the document do not name members.
            ("<D:href>/a%20b/film.srt</D:href>", []),
            ("<D:response><D:propstat><D:prop><D:href>/a%20b/film.srt</D:href></D:prop></D:propstat></D:response>", []),
            (response("/a%20b/f\(String(repeating: "x", count: 5000)).srt"), []),
            (response("/a%20b/one.srt") + response("/a%20b/two.srt"), ["one.srt", "two.srt"]),
        ] as [(String, [String])]
    )
    func members(responses: String, names: [String]) throws {
        let document = "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">\(responses)</D:multistatus>"
        #expect(text(try FolderListing.names(inMultistatus: Array(document.utf8), of: Array("/a b/".utf8))) == names)
    }

    @Test("The prefix of the namespace does not matter")
    func prefixes() throws {
        let document = "<multistatus xmlns=\"DAV:\">\(Self.response("/f/a.srt", prefix: ""))</multistatus>"
        #expect(text(try FolderListing.names(inMultistatus: Array(document.utf8), of: Array("/f/".utf8))) == ["a.srt"])
    }

    @Test(
        "Documents of other kinds are refused",
        arguments: [
            "<html><body>Index</body></html>", "<multistatus><response>", "", "film.srt\n",
            "<!DOCTYPE a [<!ENTITY b 'c'>]><multistatus><response><href>/&b;.srt</href></response></multistatus>",
        ]
    )
    func foreign(document: String) {
        #expect(throws: FolderListing.Failure.self) {
            try FolderListing.names(inMultistatus: Array(document.utf8), of: [0x2F])
        }
    }
}

@Suite("URLs of the files beside a source")
struct NeighbourURLTests {
    private func url(_ text: String) throws -> ResourceURL {
        try ServerScheme(ofURL: text) == nil ? ResourceURL(forHelper: text) : ResourceURL(text)
    }

    @Test(
        "A file beside a source has the source's server, folder and arguments",
        arguments: [
            ("dav://h/f/film.mkv?key=1#x", "a b.srt", "http://h/f/a%20b.srt?key=1"),
            ("http://h:8080/film.mkv", "", "http://h:8080/"),
            ("sftp://h/~/what?.mkv", "ä?#/.srt", "sftp://h/~/%C3%A4%3F%23%2F.srt"),
            ("ftpes://h//abs/film.mkv", "", "ftpes://h//abs/"), ("ftp://h/film.mkv", "f.srt", "ftp://h/f.srt"),
            ("smb://h/share/a%20b/film.mkv", "film.de.ass", "smb://h/share/a%20b/film.de.ass"),
            ("nfs://h:7/export/film.mkv?version=3", "", "nfs://h:7/export/?version=3"),
        ]
    )
    func beside(source: String, name: String, expected: String) throws {
        let other = try #require(try url(source).beside(Array(name.utf8)))
        #expect(other.text == expected)
        if !name.isEmpty { #expect(other.fileName == Array(name.utf8)) }
    }

    @Test("Credentials are kept, and shown nowhere")
    func credentials() throws {
        let other = try #require(try url("sftp://me:se%20cret@h/f/film.mkv").beside([0xFC]))
        #expect(other.credentials == .basic(user: "me", password: "se cret"))
        #expect(other.text == "sftp://h/f/%FC" && other.shown == other.text)
    }

    @Test(
        "Only some protocols list folders, and only the URL of a file has a folder",
        arguments: [
            ("http://h/f/film.mkv", false, nil), ("https://h/f/film.mkv", true, "https://h/f/"),
            ("sftp://h/f/film.mkv", false, "sftp://h/f/"), ("ftps://h/f/film.mkv", false, "ftps://h/f/"),
            ("smb://h/s/film.mkv", false, "smb://h/s/"), ("source://abc/film", false, nil), ("sftp://h/f/", false, nil),
            ("sftp://h/f/%zz", false, nil),
        ] as [(String, Bool, String?)]
    )
    func folders(source: String, isWebDAV: Bool, folder: String?) throws {
        #expect(SourceFolder.url(of: try url(source), isWebDAV: isWebDAV)?.text == folder)
    }
}
