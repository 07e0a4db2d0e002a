// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Transfers

/// Sources whose bytes are kept on disk.
@Suite("Cached sources", .timeLimit(.minutes(10)))
struct SourceCacheTests {
    private static let film = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ $0 >> 16) }
    /// The bytes fetched to look up a source: the range of the first request, and the blocks of the tail.
    private static let edges: Int64 = (256 << 10) + (128 << 10)

    private let directory: TemporaryDirectory
    private let loop = TransferLoop()

    init() throws { directory = try TemporaryDirectory() }

    /// The cache of a process that starts after the previous one has released the directory.
    private func disk() async throws -> DiskCache {
        try await eventually { isReleased() }
        return DiskCache(directory: directory.path, byteLimit: 64 << 20) { Issue.record("\($0)") }
    }

    private func isReleased() -> Bool {
        do throws(Errno) {
            _ = try FileLock("\(directory.path)/lock", makingDirectory: directory.path)
            return true
        } catch {
            #expect(error.isHeldElsewhere)
            return false
        }
    }

    private func source(_ origin: ScriptedOrigin, _ disk: DiskCache, _ path: String = "film.mkv") throws -> HTTPSource {
        var configuration = HTTPSourceConfiguration(TransferRequest(try ResourceURL(origin.url(path)), byteLimit: .max))
        configuration.retries.firstPause = .milliseconds(2)
        configuration.retries.longestPause = .milliseconds(10)
        return HTTPSource(configuration, loop: loop, cache: RangeCache(byteLimit: 8 << 20), disk: disk)
    }

    /// Reads a range as a new process would, and returns when all of it is on disk.
    private func read(
        _ origin: ScriptedOrigin,
        _ range: Range<Int> = 0..<film.count,
        path: String = "film.mkv",
        disk: DiskCache? = nil
    ) async throws -> (bytes: [UInt8], received: Int64, fromDisk: Int64) {
        let disk = if let disk { disk } else { try await self.disk() }
        await Blocking().run { disk.prepare() }
        let source = try source(origin, disk, path)
        let keeper = source.makeReader()
        let bytes = try await Blocking().run { Result { try Self.bytes(source, range) } }.get()
        // The copy is looked up when the source's last bytes arrive, possibly after those of the range. Without a
        // reader (`keeper`), they would not be fetched.
        try await eventually {
            disk.problem != nil || disk.listings.contains { $0.isInUse && $0.keptByteCount >= bytes.count }
        }
        withExtendedLifetime(keeper) {}
        let statistics = source.statistics
        return (bytes, statistics.bytesReceived, statistics.bytesFromDisk)
    }

    private static func bytes(_ source: HTTPSource, _ range: Range<Int>) throws -> [UInt8] {
        let reader = source.makeReader()
        var found: [UInt8] = []
        // Reads the start first, as a demuxer does.
        _ = try [UInt8](upTo: 1) { output throws(SourceFailure) in _ = try reader.read(at: 0, into: &output) }
        while found.count < range.count {
            let place = Int64(range.lowerBound + found.count)
            let bytes = try [UInt8](upTo: min(50_000, range.count - found.count)) { output throws(SourceFailure) in
                _ = try reader.read(at: place, into: &output)
            }
            if bytes.isEmpty { break }
            found += bytes
        }
        return found
    }

    @Test("Bytes that one process has fetched are not fetched by the next, even from a newly signed URL")
    func survives() async throws {
        let origin = try await ScriptedOrigin { $0.answer(of: Self.film) }
        let first = try await read(origin, path: "film.mkv?sig=1")
        #expect(first.bytes == Self.film && first.received == 3_000_000)
        let second = try await read(origin, path: "film.mkv?sig=2")
        #expect(second.bytes == Self.film && second.received <= Self.edges)
        #expect(second.fromDisk >= 3_000_000 - Self.edges)
    }

    @Test("Another path is another source, even with the same ends and the same entity tag")
    func separatesPaths() async throws {
        let other: [UInt8] = Self.film.enumerated().map { $0 > 1_000_000 && $0 < 2_000_000 ? ~$1 : $1 }
        let origin = try await ScriptedOrigin { $0.answer(of: $0.target.hasPrefix("/new/") ? other : Self.film) }
        #expect(try await read(origin, path: "old/film.mkv").bytes == Self.film)
        #expect(try await read(origin, path: "new/film.mkv").bytes == other)
        #expect(try await read(origin, path: "new/film.mkv?sig=1").received <= Self.edges)
    }

    @Test("A URL that redirects elsewhere is another source")
    func followsRedirects() async throws {
        let other: [UInt8] = Self.film.enumerated().map { $0 > 1_000_000 && $0 < 2_000_000 ? ~$1 : $1 }
        let target = Locked("/v1/film.mkv")
        let origin = try await ScriptedOrigin { request in
            switch request.target {
            case "/v1/film.mkv": request.answer(of: Self.film)
            case "/v2/film.mkv": request.answer(of: other)
            default: [.head("302 Found", "Location: \(target.withLock { $0 })", "Content-Length: 0")]
            }
        }
        #expect(try await read(origin).bytes == Self.film)
        target.withLock { $0 = "/v2/film.mkv" }
        #expect(try await read(origin).bytes == other)
    }

    @Test("If the server states the same version at the same URL, one request suffices, also for short reads")
    func findsVersions() async throws {
        let origin = try await ScriptedOrigin { $0.answer(of: Self.film) }
        // The ends, which identify the source, are read: a request for more than a reader needs may be cancelled.
        let ranges = [0..<65_536, 300_000..<300_100, 1_000_000..<1_030_000, 2_990_000..<3_000_000]
        for round in 0..<2 {
            let disk = try await disk()
            await Blocking().run { disk.prepare() }
            let before = origin.requests.withLock(\.count)
            do {
                let source = try source(origin, disk)
                for range in ranges {
                    let bytes = try await Blocking().run { Result { try Self.bytes(source, range) } }.get()
                    #expect(bytes == Array(Self.film[range]))
                }
            }
            if round == 1 { #expect(origin.requests.withLock(\.count) == before + 1) }
            // When the source is released, everything that it has received is written.
            try await eventually { disk.listings.contains { !$0.isInUse && $0.keptByteCount > 0 } }
        }
    }

    @Test("Only bytes that are missing on disk are fetched")
    func completes() async throws {
        let origin = try await ScriptedOrigin { $0.answer(of: Self.film) }
        _ = try await read(origin, 1_000_000..<2_600_000)
        let second = try await read(origin)
        #expect(second.bytes == Self.film && second.received < 1_500_000 + Self.edges)
        let third = try await read(origin)
        #expect(third.bytes == Self.film && third.received <= Self.edges)
    }

    @Test(
        "The bytes of a changed resource are never mixed with the old ones",
        arguments: ["tag", "time", "head", "tail", "length"]
    )
    func noticesChanges(kind: String) async throws {
        let isChanged = Locked(false)
        var new = Self.film
        let changes =
            switch kind {
            case "head": 0..<1000
            case "tail": 2_999_001..<3_000_000
            case "length": 0..<3_000_000
            default: 1_000_001..<2_000_000
            }
        for index in changes { new[index] = ~new[index] }
        if kind == "length" { new.append(0) }
        let origin = try await ScriptedOrigin { [new] request in
            let film = isChanged.withLock { $0 } ? new : Self.film
            let first = request.range?.first ?? 0
            let last = min(request.range?.last ?? .max, film.count - 1)
            let version = isChanged.withLock { $0 } ? "2" : "1"
            return [
                .head(
                    "206 Partial Content",
                    "Content-Range: bytes \(first)-\(last)/\(film.count)",
                    "Content-Length: \(last - first + 1)",
                    kind == "tag" ? "ETag: \"\(version)\"" : kind == "time" ? "Last-Modified: \(version)" : "X-A: b"
                ),
                .send(Array(film[first...last])),
            ]
        }
        #expect(try await read(origin).bytes == Self.film)
        isChanged.withLock { $0 = true }
        let changed = try await read(origin)
        #expect(changed.bytes == Array(new.prefix(Self.film.count)) && changed.received >= Self.film.count)
        #expect(try await read(origin).bytes == Array(new.prefix(Self.film.count)))
    }

    @Test("Bytes that contradict those on disk end the source, and the copy is dropped")
    func noticesContradictions() async throws {
        let isChanged = Locked(false)
        let received = Locked<@Sendable () -> Int64>({ .max })
        let new: [UInt8] = Self.film.enumerated().map { $0 > 70_000 && $0 < 2_000_000 ? ~$1 : $1 }
        let origin = try await ScriptedOrigin { request in
            let film = isChanged.withLock { $0 } ? new : Self.film
            // The server does not state a version.
            let answer = request.answer(of: film).map { step in
                guard case .send(let bytes) = step, let text = String(bytes: bytes.prefix(4), encoding: .ascii),
                    text == "HTTP"
                else { return step }
                return .send(Array(String(decoding: bytes, as: UTF8.self).replacing("ETag", with: "X-Tag").utf8))
            }
            // The copy is found by the 64 KiB at each end of the source. The end of the source arrives only after bytes
            // beyond those at the start: if the copy were found before, those bytes would not be fetched.
            guard request.range?.first != 0 else { return answer }
            return [.until { received.withLock { $0 }() > 80_000 }] + answer
        }
        _ = try await read(origin)
        isChanged.withLock { $0 = true }
        let disk = try await disk()
        await Blocking().run { disk.prepare() }
        let source = try source(origin, disk)
        received.withLock { $0 = { [weak source] in source?.statistics.bytesReceived ?? .max } }
        _ = await Blocking().run { Result { try Self.bytes(source, 0..<Self.film.count) } }
        try await eventually { source.failure?.kind == .changed }
        #expect(disk.listings.allSatisfy { $0.keptByteCount == 0 })
    }

    @Test("Damaged files cost a fetch, never a wrong byte", arguments: 0..<8)
    func survivesDamage(round: Int) async throws {
        let origin = try await ScriptedOrigin { $0.answer(of: Self.film) }
        _ = try await read(origin)
        var random = SplitMix(state: UInt64(round))
        for path in try directory.files(round % 2 == 0 ? ".bytes" : ".blocks") {
            var data = try Data(contentsOf: URL(filePath: path))
            for _ in 0..<5 { data[Int(random.next() % UInt64(data.count))] ^= 0x10 }
            if round > 3 { data = data.prefix(Int(random.next() % UInt64(data.count))) }
            try data.write(to: URL(filePath: path))
        }
        #expect(try await read(origin).bytes == Self.film)
        let last = try await read(origin)
        #expect(last.bytes == Self.film && last.received <= Self.edges)
    }

    @Test("A source on disk can be read while its server is away")
    func needsNoServer() async throws {
        let isAway = Locked(false)
        let origin = try await ScriptedOrigin { isAway.withLock { $0 } ? [.reset] : $0.answer(of: Self.film) }
        _ = try await read(origin)
        let disk = try await disk()
        await Blocking().run { disk.prepare() }
        let source = try source(origin, disk)
        _ = try await Blocking().run { Result { try Self.bytes(source, 1_000_000..<1_000_100) } }.get()
        isAway.withLock { $0 = true }
        let bytes = try await Blocking().run { Result { try Self.bytes(source, 0..<Self.film.count) } }.get()
        #expect(bytes == Self.film)
    }

    @Test("An unwritable cache is reported once, and sources are read through memory")
    func survivesFullDisk() async throws {
        try FileManager.default.removeItem(atPath: directory.path)
        try Data().write(to: URL(filePath: directory.path))
        let problems = Locked<[String]>([])
        let disk = DiskCache(directory: directory.path, byteLimit: 64 << 20) { text in
            problems.withLock { $0.append(text) }
        }
        let origin = try await ScriptedOrigin { $0.answer(of: Self.film) }
        for _ in 0..<2 { #expect(try await read(origin, disk: disk).bytes == Self.film) }
        #expect(problems.withLock { $0.count } == 1)
    }

    @Test("The cache reports and clears sources by their URL, in memory and on disk")
    func clears() async throws {
        let origin = try await ScriptedOrigin { $0.answer(of: Self.film) }
        let disk = try await disk()
        let sources = HTTPSources(.on, disk: disk)
        let url = try ResourceURL(origin.url("film.mkv?token=secret").replacing("http://", with: "http://user:pass@"))
        let film = try await Blocking().run {
            Result { () throws(EngineError) in try sources.open(url, HTTPOptions(), interrupt: InterruptFlag()) }
        }.get()
        #expect(try await Blocking().run { Result { try Self.bytes(film, 0..<Self.film.count) } }.get() == Self.film)
        try await eventually { sources.cacheReport.sources.first?.diskByteCount == 3_000_000 }
        let report = sources.cacheReport
        #expect(report.sources.map(\.url) == [origin.url("film.mkv")] && report.sources[0].isInUse)
        #expect(report.sources[0].byteCount == 3_000_000 && report.sources[0].diskByteCount == 3_000_000)
        #expect(report.sources[0].memoryByteCount == 3_000_000 && report.directory == directory.path)
        let none = await sources.clearCache(of: origin.url("other.mkv"))
        #expect(none == SourceCacheClearing(sources: 0, byteCount: 0))
        let cleared = await sources.clearCache(of: origin.url("film.mkv"))
        #expect(cleared == SourceCacheClearing(sources: 1, byteCount: 6_000_000))
        #expect(sources.cacheReport.sources.allSatisfy { $0.diskByteCount + $0.memoryByteCount == 0 })
        let before = origin.requests.withLock { $0.count }
        #expect(try await Blocking().run { Result { try Self.bytes(film, 0..<Self.film.count) } }.get() == Self.film)
        #expect(origin.requests.withLock { $0.count } > before)
    }

    @Test("After a refresh to another path, a source in use is reported and cleared once, by the new URL")
    func followsRefreshes() async throws {
        let origin = try await ScriptedOrigin { $0.answer(of: Self.film) }
        let sources = HTTPSources(.on, disk: try await disk())
        let (old, new) = (try ResourceURL(origin.url("old.mkv")), try ResourceURL(origin.url("new.mkv")))
        let film = try await Blocking().run {
            Result { () throws(EngineError) in try sources.open(old, HTTPOptions(), interrupt: InterruptFlag()) }
        }.get()
        _ = try await Blocking().run { Result { try Self.bytes(film, 0..<Self.film.count) } }.get()
        try await eventually { sources.cacheReport.sources.first?.diskByteCount == 3_000_000 }
        try await Blocking().run {
            Result { () throws(EngineError) in
                let (http, flag) = (HTTPOptions(), InterruptFlag())
                try sources.refresh(film, from: new, writtenAs: new.text, http, interrupt: flag)
            }
        }.get()
        let report = sources.cacheReport.sources
        #expect(report.map(\.url) == [new.shown])
        #expect(report.first?.memoryByteCount == 3_000_000 && report.first?.diskByteCount == 3_000_000)
        let cleared = await sources.clearCache(of: new.shown)
        #expect(cleared == SourceCacheClearing(sources: 1, byteCount: 6_000_000))
        #expect(sources.cacheReport.sources.allSatisfy { $0.diskByteCount + $0.memoryByteCount == 0 })
    }
}
