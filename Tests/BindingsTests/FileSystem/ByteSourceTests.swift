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

    /// The error code of `verify` after `change` has written to the file; `nil` if it succeeds.
    ///
    /// - Parameter isGrowing: whether the file is being written when it is opened.
    private func code(isGrowing: Bool, after change: (FileHandle) throws -> Void) throws -> EngineError.Code? {
        let (_, url) = try file((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let writer = isGrowing ? try FileHandle(forUpdating: url) : nil
        let source = try RegularFile(path: url.path)
        try source.verify()
        let handle = try writer ?? FileHandle(forUpdating: url)
        try change(handle)
        try handle.close()
        // Sets a different time, whatever the granularity of the file system's clock.
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

    @Test(
        "A file that was overwritten in place has changed; a file that has only grown has not",
        arguments: [false, true]
    )
    func verifies(isGrowing: Bool) throws {
        let grown = try code(isGrowing: isGrowing) {
            try $0.seekToEnd()
            try $0.write(contentsOf: Data(count: 9))
        }
        #expect(grown == nil)
        let overwritten = try code(isGrowing: isGrowing) {
            try $0.seek(toOffset: 50_000)
            try $0.write(contentsOf: Data(count: 9))
        }
        #expect(overwritten == .sourceChanged)
        #expect(try code(isGrowing: isGrowing) { try $0.truncate(atOffset: 99_999) } == .sourceChanged)
        let longer = Data(repeating: 1, count: 120_000)
        #expect(try code(isGrowing: isGrowing) { try $0.write(contentsOf: longer) } == .sourceChanged)
    }

    @Test("Any read of a source that has changed fails with `sourceChanged`, unless it was cancelled")
    func verified() throws {
        let (source, url) = try file(Array(repeating: 1, count: 100))
        let failure = EngineError(.sourceNotMedia, "no demuxer recognises it")
        /// The code of the error with which reading fails.
        func code(_ read: () throws(EngineError) -> Void) -> EngineError.Code? {
            do throws(EngineError) { try source.verified(read) } catch { return error.code }
            return nil
        }
        #expect(code {} == nil)
        #expect(code { () throws(EngineError) in throw failure } == .sourceNotMedia)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: url.path
        )
        #expect(code {} == .sourceChanged)
        #expect(code { () throws(EngineError) in throw failure } == .sourceChanged)
        #expect(code { () throws(EngineError) in throw EngineError(.cancelled, "interrupted") } == .cancelled)
    }

    @Test("A cursor reads the bytes of a file, and fails once it is interrupted")
    func reads() throws {
        let interrupt = InterruptFlag()
        let cursor = try file([1, 2, 3, 4, 5]).source.cursor(interrupt)
        #expect(try cursor.read(at: 3, count: 10) == [4, 5])
        #expect(try cursor.read(at: 5, count: 10).isEmpty)
        interrupt.raise()
        #expect(throws: EngineError.self) { try cursor.read(at: 0, count: 1) }
    }

    @Test("A file that is being written is read up to the end that it has when its writer closes it")
    func grows() async throws {
        let first = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let (file, url) = try file(first)
        #expect(try GrowingFile(file, quiet: .seconds(3600)) == nil)
        let handle = try FileHandle(forUpdating: url)
        let growing = try #require(try GrowingFile(try RegularFile(path: url.path), quiet: .seconds(3600)))
        #expect(growing.growth == SourceGrowth(isRecording: true) && growing.byteCount == 100_000)
        let interrupt = InterruptFlag()
        let cursor = growing.cursor(interrupt)
        #expect(try cursor.read(at: 99_990, count: 10) == Array(first[99_990...]))
        let reading = Task.detached { try cursor.read(at: 99_990, count: 100) }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1, 2, 3]))
        // A muxer completes its header when it is done.
        try handle.seek(toOffset: 40)
        try handle.write(contentsOf: Data([9, 9, 9]))
        while growing.byteCount == 100_000 { await Task.yield() }
        try growing.verify()
        #expect(growing.growth != nil && cursor.isGrowing)
        try handle.close()
        #expect(try await reading.value == Array(first[99_990...]) + [1, 2, 3])
        #expect(growing.growth == nil && !cursor.isGrowing && growing.byteCount == 100_003)
        #expect(growing.identity == (try RegularFile(path: url.path)).identity)
        try growing.verify()
    }

    @Test(
        "A file that is being written has changed if bytes after its header were overwritten",
        arguments: [99_000, 100_100]
    )
    func overwritten(offset: UInt64) async throws {
        let (_, url) = try file(Array(repeating: 1, count: 100_000))
        let handle = try FileHandle(forUpdating: url)
        let growing = try #require(try GrowingFile(try RegularFile(path: url.path), quiet: .seconds(3600)))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(repeating: 2, count: 200))
        let cursor = growing.cursor(InterruptFlag())
        #expect(try await Task.detached { try cursor.read(at: 100_000, count: 200) }.value.count == 200)
        try growing.verify()
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data([7]))
        #expect(throws: EngineError.self) { try growing.verify() }
        try handle.close()
    }

    @Test("A read that waits at the end of a file that is being written can be interrupted")
    func interrupted() async throws {
        let (_, url) = try file([1, 2, 3])
        let handle = try FileHandle(forUpdating: url)
        let growing = try #require(try GrowingFile(try RegularFile(path: url.path), quiet: .seconds(3600)))
        let interrupt = InterruptFlag()
        let cursor = growing.cursor(interrupt)
        let reading = Task.detached { try cursor.read(at: 3, count: 1) }
        interrupt.raise()
        await #expect(throws: EngineError.self) { try await reading.value }
        try handle.close()
    }

    struct Growth: CustomTestStringConvertible, Sendable {
        let name: String
        var age: Int64 = 0
        var opened: Bool? = true
        /// Length, whether there is a writer, and the time.
        var looks: [(Int64, Bool?, Int64)] = []
        let isEnded: Bool
        var testDescription: String { name }
    }

    @Test(
        "A file has ended when it has no writer or has been quiet for too long",
        arguments: [
            Growth(name: "closed", opened: false, isEnded: true), Growth(name: "open", isEnded: false),
            Growth(name: "open, but old", age: 10, isEnded: true),
            Growth(name: "not known, but new", age: 9, opened: nil, isEnded: false),
            Growth(name: "quiet", looks: [(100, true, 9)], isEnded: false),
            Growth(name: "quiet for too long", looks: [(100, true, 10)], isEnded: true),
            Growth(name: "quiet since it was opened", age: 5, looks: [(100, true, 5)], isEnded: true),
            Growth(name: "grown", looks: [(101, nil, 9), (101, nil, 18)], isEnded: false),
            Growth(name: "grown, then quiet for too long", looks: [(101, nil, 9), (101, nil, 19)], isEnded: true),
            Growth(name: "grown and closed", looks: [(101, false, 1)], isEnded: false),
            Growth(name: "grown and closed, then the same", looks: [(101, false, 1), (101, false, 2)], isEnded: true),
            Growth(name: "shorter", looks: [(99, true, 1)], isEnded: true),
        ]
    )
    func growth(_ row: Growth) {
        var growth = FileGrowth(.init(byteCount: 100, hasWriter: row.opened), age: row.age, quiet: 10, now: 0)
        for (byteCount, hasWriter, now) in row.looks {
            growth.update(.init(byteCount: byteCount, hasWriter: hasWriter), now: now)
        }
        #expect(growth.isEnded == row.isEnded)
    }

    @Test("A resource has a key only if its server states an entity tag and its first bytes are known")
    func keys() throws {
        let url = "https://example.org/film.mkv"
        #expect(SourceIdentity.resource(url: url, byteCount: 7, tag: nil).key(head: "1") == nil)
        let tagged = SourceIdentity.resource(url: url, byteCount: 7, tag: "\"a\"")
        #expect(tagged.key() == nil)
        #expect(tagged.key(head: "1") == "resource \(url) 7 \"a\" 1")
        let (one, other) = (try file([1]).source.versionKey, try file([1]).source.versionKey)
        #expect(one != nil && one != other)
    }
}
