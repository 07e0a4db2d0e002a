// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import EngineRuntime

@Suite("Files named by bytes")
struct NamedFileTests {
    private let root: [UInt8]

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "named-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        root = Array(folder.path.utf8)
    }

    private func clean() { try? FileManager.default.removeItem(atPath: String(decoding: root, as: UTF8.self)) }

    private func isFolder(_ path: [UInt8]) -> Bool {
        guard let descriptor = try? NamedFile.open(path, flags: O_RDONLY | O_DIRECTORY) else { return false }
        close(descriptor)
        return true
    }

    @Test("A folder is made with those above it, whatever bytes their names have, and may exist already")
    func makesFolders() throws {
        defer { clean() }
        let path = root + Array("/".utf8) + [0xE9] + Array("//".utf8) + [0xFF]
        for _ in 0..<2 {
            try NamedFile.makeFolder(path + Array("/".utf8))
            #expect(isFolder(path))
        }
    }

    @Test("Neither a file nor an empty name becomes a folder")
    func refuses() throws {
        defer { clean() }
        let file = root + Array("/file".utf8)
        close(try NamedFile.open(file, flags: O_WRONLY | O_CREAT, mode: 0o600))
        let refused = #expect(throws: SystemError.self) { try NamedFile.makeFolder(file) }
        #expect(refused?.code == ENOTDIR)
        let below = #expect(throws: SystemError.self) { try NamedFile.makeFolder(file + Array("/x".utf8)) }
        #expect(below?.code == ENOTDIR)
        let empty = #expect(throws: SystemError.self) { try NamedFile.makeFolder([]) }
        #expect(empty?.code == ENOENT)
    }

    @Test("A path may be longer than one system call accepts")
    func longPaths() throws {
        defer { clean() }
        let name = Array("/".utf8) + [UInt8](repeating: 0xE9, count: 200)
        let path = root + Array(repeatElement(name, count: 25).joined())
        #expect(path.count > 4096)
        try NamedFile.makeFolder(path)
        #expect(isFolder(path))
    }
}
