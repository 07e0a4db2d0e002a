// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings

@Suite("Byte sources")
struct ByteSourceTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "source-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func file(_ bytes: [UInt8]) throws -> (source: RegularFile, url: URL) {
        let url = folder.appending(path: UUID().uuidString)
        try Data(bytes).write(to: url)
        return (try RegularFile(path: url.path), url)
    }

    /// What verifying the source says after `change` has written to its file.
    private func code(after change: (FileHandle) throws -> Void) throws -> EngineError.Code? {
        let (source, url) = try file((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try source.verify()
        let handle = try FileHandle(forUpdating: url)
        try change(handle)
        try handle.close()
        // A time of its own, whatever the granularity of the file system's clock.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: url.path
        )
        do throws(EngineError) {
            try source.verify()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A file that was overwritten in place has changed, one that has only grown has not")
    func verifies() throws {
        #expect(
            try code {
                _ = try $0.seekToEnd(); try $0.write(contentsOf: Data(count: 9))
            } == nil
        )
        #expect(
            try code {
                try $0.seek(toOffset: 50_000); try $0.write(contentsOf: Data(count: 9))
            } == .sourceChanged
        )
        #expect(try code { try $0.truncate(atOffset: 99_999) } == .sourceChanged)
        let longer = Data(repeating: 1, count: 120_000)
        #expect(try code { try $0.write(contentsOf: longer) } == .sourceChanged)
    }

    @Test("A cursor reads what is there, and nothing once it is interrupted")
    func reads() throws {
        let interrupt = InterruptFlag()
        let cursor = try file([1, 2, 3, 4, 5]).source.cursor(interrupt)
        #expect(try cursor.read(at: 3, count: 10) == [4, 5])
        #expect(try cursor.read(at: 5, count: 10).isEmpty)
        interrupt.raise()
        #expect(throws: EngineError.self) { try cursor.read(at: 0, count: 1) }
    }

    @Test("Only a version of a resource that its server names has a key")
    func keys() throws {
        let url = "https://example.org/film.mkv"
        #expect(SourceIdentity.resource(url: url, byteCount: 7, tag: nil).key == nil)
        #expect(SourceIdentity.resource(url: url, byteCount: 7, tag: "\"a\"").key == "resource \(url) 7 \"a\"")
        let (one, other) = (try file([1]).source.identity.key, try file([1]).source.identity.key)
        #expect(one != nil && one != other)
    }
}
