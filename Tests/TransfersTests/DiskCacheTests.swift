// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Transfers

/// A directory that is removed with its last owner.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func files(_ suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }.map {
            "\(path)/\($0)"
        }
    }
}

@Suite("Disk cache", .timeLimit(.minutes(10)))
struct DiskCacheTests {
    private static let block = RangeCache.blockByteCount
    /// Six blocks, the last of them short.
    private static let film = (0..<(5 * block + 1000)).map {
        UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7 &+ $0 >> 16)
    }

    private static func head(_ name: Int = 0, count: Int = film.count, at url: String? = nil) -> BlockFile.Head {
        let version = ResourceState(byteCount: Int64(count), tag: "\"\(name)\"")
        let (head, tail) = (Array(film[..<block]), Array(film.suffix(block)))
        guard let key = try? CacheKey(path: [], version, isSecure: false, head: head, tail: tail) else {
            fatalError("no SHA-256")
        }
        return BlockFile.Head(
            key: key,
            byteCount: Int64(count),
            url: "http://example.org/film-\(name).mkv",
            version: url.flatMap { VersionName(of: version, at: $0) }
        )
    }

    private static func offset(_ index: Int64) -> Int64 { index * Int64(block) }

    private static func bytes(_ index: Int64, of film: [UInt8] = film) -> [UInt8] {
        Array(film[Int(index) * block..<min(film.count, Int(index + 1) * block)])
    }

    /// A file with all blocks of the film.
    private static func full(in directory: String, _ head: BlockFile.Head = head()) throws -> BlockFile {
        let file = try BlockFile.make(head, in: directory)
        for index in 0..<Int64(6) { #expect(try file.write(bytes(index), at: offset(index), now: 1) == .added) }
        return file
    }

    /// The blocks that are found in a directory. Checks that each is as it was written.
    private static func found(in directory: String, _ head: BlockFile.Head = head()) throws -> Set<Int64> {
        guard let file = try BlockFile.open(head, in: directory) else { return [] }
        var found: Set<Int64> = []
        for index in 0..<Int64(6) {
            guard let part = file.read(index, now: 1) else {
                #expect(!file.holds(index))
                continue
            }
            #expect(part.offset == offset(index) && part.bytes == Self.bytes(index))
            found.insert(index)
        }
        return found
    }

    @Test("Exactly the written blocks are found again, in whatever order they were written")
    func keeps() throws {
        let directory = try TemporaryDirectory()
        let file = try BlockFile.make(Self.head(), in: directory.path)
        for index in [5, 0, 3] as [Int64] {
            #expect(try file.write(Self.bytes(index), at: Self.offset(index), now: 1) == .added)
        }
        #expect(try file.write(Self.bytes(3), at: Self.offset(3), now: 1) == .known)
        #expect(try file.write(Self.bytes(0), at: Self.offset(3), now: 1) == .differs)
        #expect(file.held.ranges == [0..<65_536, 196_608..<262_144, 327_680..<Int64(Self.film.count)])
        #expect(try Self.found(in: directory.path) == [0, 3, 5])
        try file.drop([3])
        #expect(file.read(3, now: 1) == nil)
        #expect(try Self.found(in: directory.path) == [0, 5])
    }

    @Test("The longest part that was written of an incomplete block is found again")
    func keepsParts() throws {
        let directory = try TemporaryDirectory()
        let file = try BlockFile.make(Self.head(), in: directory.path)
        let start = Self.offset(2)
        func write(_ part: Range<Int64>, of film: [UInt8] = Self.film) throws -> BlockFile.Written {
            let bytes = Array(film[Int(start + part.lowerBound)..<Int(start + part.upperBound)])
            return try file.write(bytes, at: start + part.lowerBound, now: 1)
        }
        func found() throws -> Range<Int64>? {
            let again = try #require(try BlockFile.open(Self.head(), in: directory.path))
            guard let part = again.read(2, now: 1) else { return nil }
            let range = part.offset..<part.offset + Int64(part.bytes.count)
            #expect(part.bytes == Array(Self.film[Int(range.lowerBound)..<Int(range.upperBound)]))
            #expect(again.held.ranges == [range] && file.held.ranges == [range] && again.blockCount == 1)
            return range.lowerBound - start..<range.upperBound - start
        }
        let other = Self.film.map { $0 ^ 1 }
        #expect(try write(100..<300) == .added && found() == 100..<300)
        // A part that is no longer than the kept one changes nothing, whether it lies inside, across an end or beside
        // it.
        #expect(try write(150..<200) == .known && write(150..<350, of: Self.film) == .known && found() == 100..<300)
        #expect(try write(1000..<1100) == .known && found() == 100..<300)
        // Other bytes at the same place contradict the kept part, whether they are more or fewer.
        #expect(try write(299..<310, of: other) == .differs && write(0..<5000, of: other) == .differs)
        // Bytes beside the kept part do not contradict it.
        #expect(try write(300..<310, of: other) == .known && found() == 100..<300)
        #expect(try write(200..<600) == .added && found() == 200..<600)
        #expect(try write(2000..<4000) == .added && found() == 2000..<4000)
        #expect(try write(0..<Int64(Self.block)) == .added && found() == 0..<Int64(Self.block))
    }

    @Test("A source is found by its version at the same URL")
    func findsVersions() async throws {
        let directory = try TemporaryDirectory()
        let url = "http://example.org/film.mkv?id=1"
        func version(_ tag: String, _ count: Int = Self.film.count, at url: String = url) throws -> VersionName {
            try #require(VersionName(of: ResourceState(byteCount: Int64(count), tag: tag), at: url))
        }
        let own = try version("\"0\"")
        #expect(Self.head(at: url).version == own && BlockFile.Head(Self.head(at: url).bytes)?.version == own)
        #expect(VersionName(of: ResourceState(byteCount: 9, weakTag: "\"0\""), at: url) == nil)
        #expect(VersionName(of: ResourceState(tag: "\"0\""), at: url) == nil)
        let (first, _) = cache(directory)
        await on(first) {
            guard let file = first.open(Self.head(at: url)) else { return }
            #expect(first.source(own) == nil, "nothing is stored yet")
            _ = first.write(Self.bytes(0), at: 0, to: file)
            first.close(file)
        }
        #expect(first.source(own)?.key == Self.head().key)
        let others = try [version("\"1\""), version("\"0\"", 1), version("\"0\"", at: url + "0")]
        #expect(others.allSatisfy { first.source($0) == nil })
    }

    @Test("Files are readable by their owner only, and dropped blocks take no space")
    func private_() throws {
        let directory = try TemporaryDirectory()
        let file = try Self.full(in: directory.path)
        for path in try directory.files("") {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        let bytes = try SparseFile(BlockFile.bytesPath(Self.head().key, in: directory.path), isNew: false)
        let before = try bytes.status().allocatedByteCount
        try file.drop([1, 2, 3, 4])
        #expect(try bytes.status().allocatedByteCount <= before - Int64(3 * Self.block))
        #expect(try bytes.status().byteCount == Int64(Self.film.count))
    }

    @Test("If any byte of the files is changed, a block is found as it was written, or not at all")
    func flips() throws {
        let directory = try TemporaryDirectory()
        _ = try Self.full(in: directory.path)
        let (table, data) = (try directory.files(".blocks")[0], try directory.files(".bytes")[0])
        var random = SplitMix(state: 16)
        // Every byte of the checksums and of the text of the head; other bytes at random.
        let places =
            (Array(0..<180) + Array(4096..<4096 + 144)).map { (table, $0) }
            + (0..<40).map { _ in (table, Int(random.next() % 4096)) }
            + (0..<120).map { _ in (data, Int(random.next() % UInt64(Self.film.count))) }
        for (path, place) in places {
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: UInt64(place))
            let old = try #require(try file.read(upToCount: 1))
            try file.seek(toOffset: UInt64(place))
            try file.write(contentsOf: [old[0] ^ UInt8(1 << (place % 8))])
            let found = try Self.found(in: directory.path)
            let lost: Set<Int64> =
                path == data ? [Int64(place / Self.block)] : place < 4096 ? Set(0..<6) : [Int64((place - 4096) / 24)]
            #expect(found == Set(0..<6).subtracting(lost), "byte \(place) of \(path.suffix(7))")
            try file.seek(toOffset: UInt64(place))
            try file.write(contentsOf: old)
        }
        #expect(try Self.found(in: directory.path).count == 6)
    }

    @Test("Wherever a file is cut off, the blocks that are found are as they were written")
    func cuts() throws {
        let directory = try TemporaryDirectory()
        _ = try Self.full(in: directory.path)
        let (table, data) = (try directory.files(".blocks")[0], try directory.files(".bytes")[0])
        var random = SplitMix(state: 4)
        for path in [data, table] {
            let whole = try Data(contentsOf: URL(filePath: path))
            let lengths =
                path == table ? Array(stride(from: 4096 + 144, through: 0, by: -31)) : [Self.film.count, Self.block]
            for length in lengths + (0..<20).map({ _ in Int(random.next() % UInt64(whole.count)) }) + [0] {
                try whole.prefix(length).write(to: URL(filePath: path))
                let found = try Self.found(in: directory.path)
                let complete = path == data ? length / Self.block : max(0, length - 4096) / 24
                let rest: Set<Int64> = path == data && length == Self.film.count ? Set(0..<6) : Set(0..<Int64(complete))
                #expect(found == (path == table && length < 4096 ? [] : rest), "\(length) bytes of \(path.suffix(7))")
            }
            try whole.write(to: URL(filePath: path))
        }
    }

    @Test("A killed process leaves complete blocks only", arguments: 0..<12)
    func tears(step: Int) throws {
        // Each block is written in two steps, bytes and checksum, and either may be incomplete. Only both make it
        // valid.
        let directory = try TemporaryDirectory()
        let file = try BlockFile.make(Self.head(), in: directory.path)
        for index in 0..<Int64(step / 2) { _ = try file.write(Self.bytes(index), at: Self.offset(index), now: 1) }
        let torn = Int64(step / 2)
        let new = Self.bytes(torn)
        let data = try SparseFile(BlockFile.bytesPath(Self.head().key, in: directory.path), isNew: false)
        try data.write(Array(new.prefix(step % 2 == 0 ? new.count / 2 : new.count)), at: torn * Int64(Self.block))
        if step % 2 == 0 {
            // The table reached the disk before the bytes.
            let other = try TemporaryDirectory()
            let complete = try BlockFile.make(Self.head(), in: other.path)
            _ = try complete.write(new, at: Self.offset(torn), now: 1)
            let slot = try SparseFile(BlockFile.tablePath(Self.head().key, in: other.path), isNew: false)
                .read(at: 4096 + torn * 24, count: 24)
            try SparseFile(BlockFile.tablePath(Self.head().key, in: directory.path), isNew: false)
                .write(slot, at: 4096 + torn * 24)
        }
        #expect(try Self.found(in: directory.path) == Set(0..<torn))
    }

    @Test("The files of one source are never taken for those of another")
    func confuses() throws {
        let directory = try TemporaryDirectory()
        let (first, second) = (Self.head(1), Self.head(2))
        _ = try Self.full(in: directory.path, first)
        let other = try BlockFile.make(second, in: directory.path)
        _ = try other.write(Self.bytes(1), at: 0, now: 1)
        for path in [BlockFile.bytesPath, BlockFile.tablePath] {
            try Data(contentsOf: URL(filePath: path(second.key, directory.path)))
                .write(to: URL(filePath: path(first.key, directory.path)))
            #expect(try Self.found(in: directory.path, first).isEmpty)
        }
    }

    @Test("The key depends on everything that distinguishes contents")
    func keys() throws {
        let version = ResourceState(byteCount: 300_000, tag: "\"a\"", modified: "x")
        func key(
            _ version: ResourceState,
            _ isSecure: Bool = false,
            _ head: [UInt8] = [1],
            _ tail: [UInt8] = [2],
            path: [UInt8] = [3]
        ) throws -> String {
            try CacheKey(path: path, version, isSecure: isSecure, head: head, tail: tail).name
        }
        let names = try [
            key(version), key(version, true), key(version, false, [2]), key(version, false, [1], [3]),
            key(version, false, [], [1, 2]), key(version, path: [4]),
            key(ResourceState(byteCount: 300_001, tag: "\"a\"", modified: "x")),
            key(ResourceState(byteCount: 300_000, tag: "\"b\"", modified: "x")),
            key(ResourceState(byteCount: 300_000, weakTag: "\"a\"", modified: "x")),
            key(ResourceState(byteCount: 300_000, modified: "x")), key(ResourceState(byteCount: 300_000, tag: "\"a\"")),
        ]
        #expect(Set(names).count == names.count)
        #expect(try key(version) == names[0] && names[0].count == 64)
        #expect(CacheKey.edges(262_143) == nil && CacheKey.edges(nil) == nil)
        #expect(CacheKey.edges(300_000) == [0..<65_536, 291_808..<300_000])
    }

    // MARK: Limits

    private func source(_ number: Int, _ lastUse: Int64, _ blocks: CacheEviction.Blocks) -> CacheEviction.Source {
        CacheEviction.Source(key: Self.head(number).key, lastUse: lastUse, blocks: blocks)
    }

    @Test("The least recently used sources, and blocks of sources in use, are evicted first")
    func evicts() {
        let sources = [source(1, 61, .whole(40)), source(2, 19, .whole(20)), source(3, 99, .single(40))]
        let eviction = CacheEviction(sources, limits: (blocks: 100, sources: 10))
        #expect(!eviction.isNeeded(for: 0) && eviction.isNeeded(for: 1))
        let uses = (0..<40).map { (block: Int64($0), lastUse: Int64(2 * $0)) }
        func victims(_ count: Int) -> ([CacheKey], [Int64]) {
            let found = eviction.victims(for: count) { _ in uses }
            return (found.sources, found.blocks[Self.head(3).key] ?? [])
        }
        // One block needs room, and three more are dropped with it: those used least recently.
        #expect(victims(1).0.isEmpty && victims(1).1 == [0, 1, 2, 3])
        #expect(victims(20).0 == [Self.head(2).key] && victims(20).1 == Array(0..<10))
        #expect(victims(50).0 == [Self.head(2).key, Self.head(1).key] && victims(50).1 == Array(0..<31))
        #expect(victims(0).0.isEmpty && victims(0).1.isEmpty)
    }

    @Test("The number of sources is limited")
    func limitsSources() {
        let sources = (0..<5).map { source($0, Int64(10 - $0), .whole(1)) }
        let eviction = CacheEviction(sources, limits: (blocks: 100, sources: 3))
        #expect(eviction.isNeeded(for: 0))
        #expect(eviction.victims(for: 0) { _ in [] }.sources == [Self.head(4).key, Self.head(3).key])
    }

    // MARK: The whole cache

    private func cache(_ directory: TemporaryDirectory, bytes: Int = 64 << 20) -> (DiskCache, Locked<[String]>) {
        let problems = Locked<[String]>([])
        let cache = DiskCache(directory: directory.path, byteLimit: Int64(bytes)) { text in
            problems.withLock { $0.append(text) }
        }
        return (cache, problems)
    }

    /// Runs work on the thread of a cache.
    private func on<Value: Sendable>(_ cache: DiskCache, _ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { done in cache.perform { done.resume(returning: work()) } }
    }

    @Test("Sources are listed with their kept bytes, also by a later process, and cleared")
    func lists() async throws {
        let directory = try TemporaryDirectory()
        do {
            let (cache, problems) = cache(directory)
            for number in 1...3 {
                await on(cache) {
                    let file = cache.open(Self.head(number))
                    for index in 0..<Int64(number) {
                        _ = file.map { cache.write(Self.bytes(index), at: Self.offset(index), to: $0) }
                    }
                    if let file, number < 3 { cache.close(file) }
                }
            }
            #expect(
                Dictionary(uniqueKeysWithValues: cache.listings.map { ($0.url, $0.keptByteCount) }) == [
                    "http://example.org/film-1.mkv": 65_536, "http://example.org/film-2.mkv": 131_072,
                    "http://example.org/film-3.mkv": 196_608,
                ]
            )
            #expect(cache.listings.filter(\.isInUse).map(\.url) == ["http://example.org/film-3.mkv"])
            #expect(problems.withLock(\.isEmpty) && cache.mayHave(Int64(Self.film.count)) && !cache.mayHave(1))
        }
        try Data().write(to: URL(filePath: directory.path + "/\(Self.head(8).key.name).bytes"))
        try Data([1]).write(to: URL(filePath: directory.path + "/\(Self.head(9).key.name).blocks"))
        let (cache, problems) = cache(directory)
        await Blocking().run { cache.prepare() }
        #expect(cache.listings.map(\.url).sorted().map { $0.suffix(5) } == ["1.mkv", "2.mkv", "3.mkv"])
        // Sources that are damaged beyond use were removed.
        #expect(try directory.files(".bytes").count == 3 && directory.files(".blocks").count == 3)
        await cache.clear("http://example.org/film-2.mkv")
        #expect(cache.listings.count == 2)
        await cache.clear(nil)
        #expect(cache.listings.isEmpty && cache.byteCount == 0)
        #expect(try directory.files(".bytes").isEmpty && problems.withLock(\.isEmpty))
    }

    @Test("The limit is kept, even for a single source that exceeds it")
    func keepsLimit() async throws {
        let directory = try TemporaryDirectory()
        let (cache, _) = cache(directory, bytes: 16 * Self.block)
        let count = 60 * Self.block
        await on(cache) {
            guard let file = cache.open(Self.head(count: count)) else {
                Issue.record("the cache does not open")
                return
            }
            for index in 0..<Int64(60) {
                _ = cache.write([UInt8](repeating: UInt8(index), count: Self.block), at: Self.offset(index), to: file)
                #expect(file.blockCount <= 16)
            }
            #expect(file.holds(59) && file.read(59, now: 1)?.bytes == [UInt8](repeating: 59, count: Self.block))
        }
        #expect(cache.byteCount <= Int64(16 * Self.block))
    }

    @Test("A second engine does not use the files of the first, and reports that once")
    func excludes() async throws {
        let directory = try TemporaryDirectory()
        let (first, _) = cache(directory)
        await first.settle()
        let (second, problems) = cache(directory)
        let opened = await on(second) { second.open(Self.head()) != nil || second.open(Self.head(2)) != nil }
        #expect(!opened)
        #expect(problems.withLock { $0.count } == 1)
        #expect(problems.withLock { $0[0].contains("another engine uses it") })
        #expect(second.problem != nil && first.problem == nil)
    }

    @Test("A directory that cannot be used is reported once")
    func reports() async throws {
        let directory = try TemporaryDirectory()
        let problems = Locked<[String]>([])
        try Data().write(to: URL(filePath: directory.path + "/file"))
        let cache = DiskCache(directory: directory.path + "/file/cache", byteLimit: 1 << 30) { text in
            problems.withLock { $0.append(text) }
        }
        #expect(await on(cache) { cache.open(Self.head()) == nil && cache.open(Self.head(2)) == nil })
        #expect(problems.withLock { $0.count } == 1)
    }
}
