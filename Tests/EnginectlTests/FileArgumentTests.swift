// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import enginectl

@Suite("Names of sources")
struct FileArgumentTests {
    @Test(
        "URLs are passed on as they are, those of unknown schemes too",
        arguments: [
            "http://host/a.mkv", "HTTPS://host/a.mkv", "file:///a%E9.mkv", "ftp://host/a.mkv", "smb://nas/share/a.mkv",
            "http:/me:secret@host/a.mkv", "sftp:me:secret@host",
        ]
    )
    func urls(_ argument: String) { #expect(FileArgument.source(argument) == argument) }

    @Test(
        "Anything else is a file, whose path is absolute",
        arguments: ["a.mkv", "./-a.mkv", "a:b.mkv", "://a", "12:34/a.mkv", "ä://a.mkv"]
    )
    func files(_ argument: String) {
        let source = FileArgument.source(argument)
        #expect(source.hasPrefix("/") && source.hasSuffix(argument.hasPrefix("./") ? "-a.mkv" : argument))
    }
}

@Suite("Files with text")
struct TextFileTests {
    @Test("A device without an end is refused, and an empty one gives an empty text")
    func devices() throws {
        let failure = #expect(throws: Failure.self) { try FileArgument("/dev/zero").text(byteLimit: 100_000) }
        #expect(failure.map { "\($0)".contains("more than 100000 bytes") } == true)
        #expect(try FileArgument("/dev/null").text(byteLimit: 1) == "")
    }

    @Test("A file is read if it is no longer than the limit", arguments: [3, 4])
    func length(limit: Int) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "text-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("four".utf8).write(to: file)
        let text = try? FileArgument(file.path).text(byteLimit: limit)
        #expect(text == (limit == 4 ? "four" : nil))
    }
}

@Suite("Files that commands write")
struct ReplacedFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "replaced-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func write(_ text: String, to name: String) throws {
        try ReplacedFile(path: Array(folder.appending(path: name).path.utf8)).write(Array(text.utf8))
    }

    private func content(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    private func permissions(of path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("A new file, an existing file and the target of a link get the content, and no other file is left behind")
    func replaces() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("one", to: "a")
        let file = folder.appending(path: "a").path
        #expect(try permissions(of: file) & 0o111 == 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        let link = folder.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a")
        try write("two", to: "link")
        #expect(try content("a") == "two")
        #expect(try permissions(of: file) == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["a", "link"])
    }

    @Test("A device is written to, and a failure is reported")
    func devices() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try ReplacedFile(path: Array("/dev/null".utf8)).write([1])
        #expect(throws: (any Error).self) { try ReplacedFile(path: Array("/dev/full".utf8)).write([1]) }
        #expect(throws: (any Error).self) { try write("x", to: "missing/a") }
    }
}
