// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Reading
@testable import Segments
@testable import Sessions

/// A running engine without a network, with helpers that fetch what a player would.
private struct Bench {
    let engine: Engine
    let changes = ChangeWatch()

    init(cacheBytes: Int = 64 << 20, planDirectory: String? = nil) {
        var configuration = EngineConfiguration()
        configuration.cacheBytes = cacheBytes
        configuration.planDirectory = planDirectory
        engine = Engine(configuration: configuration)
        engine.hub.add(changes)
    }

    func load(_ path: String) async throws -> SessionState { try await engine.load(LoadRequest(source: path)) }

    func bytes(_ state: SessionState, _ path: String) async throws -> [UInt8] {
        let token = try #require(state.url.split(separator: "/").first)
        switch await engine.resource(token: String(token), path: path, query: "") {
        case .playlist(let bytes): return bytes
        case .initSegment(let body, _), .segment(let body, _, _):
            return body.regions.flatMap { region in region.withBytes { span in span.indices.map { span[$0] } } }
        case let other:
            Issue.record("\(path): \(other)")
            return []
        }
    }

    /// FNV-1a of the resource at `path`: a failed comparison of megabytes would be unreadable.
    func digest(_ state: SessionState, _ path: String) async throws -> UInt64 {
        try await bytes(state, path).reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }

    /// Waits for a scan to end, then returns the paths of the init and media segments of every track.
    func segmentPaths(_ state: SessionState) async throws -> [String] {
        try await changes.until { try await engine.state(of: state.id).production.isPlanComplete }
        let master = String(decoding: try await bytes(state, "master.m3u8"), as: UTF8.self)
        let names = Set(master.split { "\n\"".contains($0) }.filter { $0.hasSuffix(".m3u8") })
        var paths: [String] = []
        for name in names.sorted() {
            let playlist = String(decoding: try await bytes(state, String(name)), as: UTF8.self)
            #expect(playlist.contains("#EXT-X-ENDLIST"))
            paths += playlist.split { "\n\"".contains($0) }.filter { $0.hasSuffix(".m4s") || $0.hasSuffix(".mp4") }.map(
                String.init
            )
        }
        return paths
    }
}

@Suite("The engine with real clips", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct EngineTests {
    @Test("a segment has the same bytes in any order of requests and from any engine", arguments: Clip.allCases)
    func purity(clip: Clip) async throws {
        let path = try clip.path()
        let linear = Bench()
        let state = try await linear.load(path)
        let paths = try await linear.segmentPaths(state)
        #expect(paths.count >= 4)
        var expected: [String: UInt64] = [:]
        for path in paths { expected[path] = try await linear.digest(state, path) }

        var generator = SplitMix(state: 7)
        let random = Bench(cacheBytes: 1 << 20)
        let other = try await random.load(path)
        for path in paths.shuffled(using: &generator) {
            #expect(try await random.digest(other, path) == expected[path], "\(path) at random")
        }
        let parallel = Bench()
        let third = try await parallel.load(path)
        _ = try await parallel.segmentPaths(third)
        try await withThrowingTaskGroup(of: (String, UInt64).self) { group in
            for path in paths.shuffled(using: &generator) {
                group.addTask { (path, try await parallel.digest(third, path)) }
            }
            for try await (path, digest) in group { #expect(digest == expected[path], "\(path) in parallel") }
        }
    }

    @Test("a renderer that has left before it was attached takes nobody's place")
    func leftRenderer() async throws {
        let engine = Bench().engine
        let state = try await engine.load(LoadRequest(source: try Clip.transportStream.path()))
        _ = try await engine.attach(RendererOffer(session: state.id, name: "screen"), to: DeafReceiver())
        let late = Task {
            // Until it is cancelled.
            while !Task.isCancelled { await Task.yield() }
            return try await engine.attach(
                RendererOffer(session: state.id, name: "late", replaces: true),
                to: DeafReceiver()
            )
        }
        late.cancel()
        await #expect { _ = try await late.value } throws: { ($0 as? EngineError)?.code == .cancelled }
        #expect(try await engine.state(of: state.id).renderer == "screen")
        await engine.shutDown()
    }

    @Test("the plan of a scan is kept, and a second load of the source serves the same segments from it")
    func keptPlan() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "plans-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = try Clip.transportStream.path()
        let first = Bench(planDirectory: directory)
        let scanned = try await first.load(path)
        let paths = try await first.segmentPaths(scanned)
        #expect(try await first.engine.state(of: nil).production.planOrigin == .scan)
        let second = Bench(planDirectory: directory)
        let kept = try await second.load(path)
        #expect(kept.production.planOrigin == .cache)
        #expect(kept.duration == scanned.duration)
        for path in paths { #expect(try await second.digest(kept, path) == first.digest(scanned, path)) }
    }

    @Test("stays within its cache budget, and serves evicted segments again")
    func budget() async throws {
        let bench = Bench(cacheBytes: 100_000)
        let state = try await bench.load(try Clip.matroska.path())
        for path in try await bench.segmentPaths(state) { _ = try await bench.bytes(state, path) }
        let production = try await bench.engine.state(of: nil).production
        #expect(production.segmentsEvicted > 0)
        #expect(production.cachedBytes <= 100_000)
        #expect(try await !bench.bytes(state, "video/0.m4s").isEmpty)
    }

    @Test(
        "a session fails when a player requests more of a file that was changed in place",
        arguments: [Clip.matroska, .mp4]
    )
    func change(clip: Clip) async throws {
        let copy = try ClipCopy(of: clip)
        defer { copy.remove() }
        // The cache has no room for segments that the engine makes in advance, before the file is changed.
        let bench = Bench(cacheBytes: 1)
        var request = LoadRequest(source: copy.path)
        request.options.requestedSegmentTarget = .seconds(1)
        let state = try await bench.engine.load(request)
        let last = try await bench.segmentPaths(state).compactMap { path in
            path.hasPrefix("video/") && path.hasSuffix(".m4s") ? Int(path.dropFirst(6).dropLast(4)) : nil
        }.max()
        _ = try await bench.bytes(state, "video/0.m4s")
        try copy.make(.patched)
        #expect(try await bench.engine.state(of: state.id).phase == .ready)
        let token = try #require(state.url.split(separator: "/").first.map(String.init))
        let path = "video/\(try #require(last)).m4s"
        guard case .failed(let error) = await bench.engine.resource(token: token, path: path, query: "") else {
            Issue.record("a segment was made of a changed file")
            return
        }
        #expect(error.code == .sourceChanged)
        #expect(try await bench.engine.state(of: state.id).phase == .error(error))
    }

    @Test("stopping a session removes it, and its token becomes invalid")
    func stop() async throws {
        let bench = Bench()
        let state = try await bench.load(try Clip.mp4.path())
        _ = try await bench.engine.perform(CommandRequest(session: state.id, command: .stop))
        let token = try #require(state.url.split(separator: "/").first.map(String.init))
        #expect(!bench.engine.isValid(token: token))
        guard case .notFound = await bench.engine.resource(token: token, path: "master.m3u8", query: "") else {
            Issue.record("a stopped session still answers")
            return
        }
        await #expect(throws: EngineError.self) { try await bench.engine.state(of: nil) }
    }

    @Test("Nothing holds an engine and its sessions once they are stopped and released")
    func letGo() async throws {
        weak var hub: EventHub?
        let wait: (() async throws -> Bool) async throws -> Void
        do {
            let bench = Bench()
            wait = bench.changes.unheld
            let state = try await bench.load(try Clip.mp4.path())
            for path in try await bench.segmentPaths(state) { _ = try await bench.bytes(state, path) }
            _ = try await bench.engine.perform(CommandRequest(session: state.id, command: .stop))
            hub = bench.engine.hub
        }
        // Tasks that were cancelled may still hold the hub. The hub holds the observer `changes`, whose release is the
        // signal to look again.
        try await wait { hub == nil }
    }

    @Test("plays, seeks and ends on the virtual clock")
    func clock() async throws {
        let bench = Bench()
        _ = try await bench.load(try Clip.mp4.path())
        func wait(for phase: Phase) async throws {
            try await bench.changes.until { try await bench.engine.state(of: nil).phase == phase }
        }
        _ = try await bench.engine.perform(CommandRequest(session: nil, command: .player(.play)))
        try await wait(for: .playing)
        let sought = try await bench.engine.perform(
            CommandRequest(session: nil, command: .player(.seek(SeekCommand(.position(.seconds(12.9))))))
        )
        #expect(sought.state.position.position == .seconds(12.9))
        try await wait(for: .ended)
        #expect(try await bench.engine.state(of: nil).position.rate == 0)
    }

    @Test("probes every kind of source without loading it", arguments: Clip.allCases)
    func probe(clip: Clip) async throws {
        let bench = Bench()
        let media = try await bench.engine.probe(clip.path(), HTTPOptions(), options: LoadOptions())
        #expect(!media.streams.isEmpty)
        #expect(media.streams.allSatisfy { $0.route.word == "remux" && !$0.route.reason.isEmpty })
        #expect(await bench.engine.sessions().sessions.isEmpty)
    }

    @Test("rejects a command that expects another revision")
    func revision() async throws {
        let bench = Bench()
        let state = try await bench.load(try Clip.mp4.path())
        let error = await #expect(throws: EngineError.self) {
            try await bench.engine.perform(
                CommandRequest(session: nil, ifRevision: state.revision + 1000, command: .player(.play))
            )
        }
        #expect(error?.code == .revisionConflict)
    }
}

@Suite("Sources that cannot be opened", .timeLimit(.minutes(10)))
struct BadSourceTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "bad-\(UUID())")

    private func failure(_ source: String) async -> EngineError.Code? {
        let bench = Bench()
        do {
            _ = try await bench.load(source)
            return nil
        } catch {
            #expect((error as? EngineError)?.message.isEmpty == false)
            return (error as? EngineError)?.code
        }
    }

    @Test("each bad source fails with a fitting error code and a message")
    func codes() async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        func file(_ name: String, _ bytes: [UInt8]) -> String {
            let url = directory.appending(path: name)
            #expect(FileManager.default.createFile(atPath: url.path, contents: Data(bytes)))
            return url.path
        }
        var generator = SplitMix(state: 3)
        #expect(await failure("") == .invalidArgument)
        #expect(await failure("film.mkv") == .invalidArgument)
        #expect(await failure("gopher://example.org/a.mkv") == .invalidArgument)
        #expect(await failure("file://elsewhere/a.mkv") == .invalidArgument)
        #expect(await failure("/nowhere/at/all.mkv") == .sourceNotFound)
        #expect(await failure(directory.path) == .sourceNotReadable)
        #expect(await failure("/dev/null") == .sourceNotReadable)
        #expect(await failure(file("empty.mkv", [])) == .sourceEmpty)
        #expect(await failure(file("zeros.mp4", [UInt8](repeating: 0, count: 100_000))) == .sourceNotMedia)
        #expect(
            await failure(file("random.mkv", (0..<100_000).map { _ in .random(in: 0...255, using: &generator) }))
                == .sourceNotMedia
        )
        #expect(await failure(file("text.mp4", Array("Once upon a time".utf8))) == .sourceNotMedia)
    }

    @Test(
        "The URL of a folder on a server is refused before anything is fetched",
        arguments: [
            ("smb://host/films/", true), ("smb://host/", true), ("ftp://host/a/", true),
            ("sftp://host", true), ("nfs://host/films/?version=4", true), ("smb://host/films/a.mkv", false),
            ("tuner://one", false), ("tuner://one?a/", false), ("source://0123", false), ("http://host/films/", false),
        ]
    )
    func folders(url: String, isFolder: Bool) {
        let error = #expect(throws: EngineError.self) {
            // This opener has no access to servers, so URLs that are not folders fail with another error.
            try SourceOpener().open(url, interrupt: InterruptFlag())
        }
        #expect(error?.code == (isFolder ? .sourceNotReadable : .sourceAccessDenied))
        #expect(error?.message.contains("is a folder") == isFolder)
    }

    @Test("file: URLs are read, including their escapes")
    func urls() throws {
        #expect(try SourceFile.path(of: "file:///a%20b/%C3%A9.mkv") == FilePath("/a b/é.mkv"))
        #expect(try SourceFile.path(of: "file:///%FF") == FilePath([0x2F, 0xFF]))
        #expect(throws: EngineError.self) { try SourceFile.path(of: "file:///a%2") }
        let broken = #expect(throws: EngineError.self) { try SourceFile.path(of: "http:/me:secret@host/a.mkv") }
        #expect(broken?.description.contains("secret") == false)
        #expect(!SourceOpener.shown("http:/me:secret@host/a.mkv").contains("secret"))
        #expect(!SourceOpener.shown("SFTP:me:secret@host/a.mkv").contains("secret"))
        #expect(SourceOpener.shown("/http:/a.mkv") == "/http:/a.mkv")
        #expect(SourceOpener.shown("smb://me:secret@host:99999/a/b?c") == "smb://host:99999/a/b")
        let foreign = #expect(throws: EngineError.self) { try SourceFile.path(of: "file://me:secret@host/a.mkv") }
        #expect(foreign?.description.contains("secret") == false)
        #expect(throws: EngineError.self) { try SourceFile.path(of: "file:///a%00b") }
    }
}
