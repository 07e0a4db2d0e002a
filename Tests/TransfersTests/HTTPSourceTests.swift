// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Transfers

private typealias Step = ScriptedOrigin.Step

@Suite("HTTP source", .timeLimit(.minutes(10)))
struct HTTPSourceTests {
    /// Made once, because each test has its own instance of the suite.
    private static let sharedFilm = (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ $0 >> 16) }
    var film: [UInt8] { Self.sharedFilm }
    private let loop = TransferLoop()

    func source(
        _ origin: ScriptedOrigin,
        path: String = "film.mkv",
        _ change: (inout HTTPSourceConfiguration) throws -> Void = { _ in }
    ) throws -> HTTPSource {
        let url = try ResourceURL(origin.url(path))
        var configuration = HTTPSourceConfiguration(TransferRequest(url, byteLimit: .max))
        configuration.retries.firstPause = .milliseconds(2)
        configuration.retries.longestPause = .milliseconds(10)
        configuration.retries.progress = 100_000
        try change(&configuration)
        return HTTPSource(configuration, loop: loop, cache: RangeCache(byteLimit: 8 << 20))
    }

    /// All bytes from `offset` on, read in pieces.
    func all(
        _ source: HTTPSource,
        from offset: Int = 0,
        piece: Int = 50_000
    ) async -> Result<[UInt8], SourceFailure> {
        await Blocking().run { Self.bytes(source.makeReader(), offset, piece) }
    }

    private static func bytes(
        _ reader: HTTPSource.Reader,
        _ offset: Int,
        _ piece: Int
    ) -> Result<[UInt8], SourceFailure> {
        var found: [UInt8] = []
        do throws(SourceFailure) {
            while true {
                let place = Int64(offset + found.count)
                let bytes = try [UInt8](upTo: piece) { output throws(SourceFailure) in
                    _ = try reader.read(at: place, into: &output)
                }
                if bytes.isEmpty { return .success(found) }
                found += bytes
            }
        } catch {
            return .failure(error)
        }
    }

    func failure(_ source: HTTPSource, from offset: Int = 0) async -> SourceFailure.Kind? {
        switch await all(source, from: offset) {
        case .success: nil
        case .failure(let failure): failure.kind
        }
    }

    @Test("The traffic of all sources together keeps that of sources that were released")
    func talliesTraffic() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let tally = TrafficTally()
        for count in [1, 2] as [UInt64] {
            let source = try source(origin) { $0.tally = tally }
            _ = try await all(source).get()
            #expect(tally.total.byteCount == count * 1_500_000)
            let traffic = source.traffic
            #expect(count > 1 || tally.total.requests == traffic.requests && traffic.requests > 0)
            #expect(traffic.bytesPerSecond == min(traffic.fastBytesPerSecond, traffic.slowBytesPerSecond))
        }
    }

    @Test("A source is read completely with few requests, none of them for cached bytes")
    func readsOnce() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let source = try source(origin)
        #expect(try await all(source).get() == film)
        #expect(source.byteCount == 1_500_000 && source.isSeekable)
        #expect(source.statistics.bytesReceived == 1_500_000)
        #expect(source.statistics.requests <= 7)
        #expect(try await all(source, from: 700_000).get() == Array(film[700_000...]))
        #expect(source.statistics.bytesReceived == 1_500_000)
    }

    @Test("Many readers share the fetched bytes")
    func shares() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let source = try source(origin)
        let film = film
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<8 {
                group.addTask {
                    guard case .success(let bytes) = await all(source, from: index * 1000, piece: 30_000 + index) else {
                        return false
                    }
                    return bytes == Array(film[(index * 1000)...])
                }
            }
            for await isEqual in group { #expect(isEqual) }
        }
        #expect(source.statistics.bytesReceived == 1_500_000)
    }

    @Test("Repeatedly broken connections lose no bytes", arguments: [true, false])
    func survivesResets(isReset: Bool) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            let answer = request.answer(of: film)
            guard case .send(let body) = answer.last, body.count > 110_000 else { return answer }
            let end: ScriptedOrigin.Step = isReset ? .reset : .close
            return [answer[0], .send(Array(body.prefix(110_000))), .pause(milliseconds: 20), end]
        }
        let source = try source(origin)
        #expect(try await all(source).get() == film)
        #expect(source.statistics.retries >= 3)
    }

    @Test("A source whose server was away can be read again later; a refused source cannot")
    func revives() async throws {
        let isAway = Locked(true)
        let origin = try await ScriptedOrigin { [film] in isAway.withLock { $0 } ? [.reset] : $0.answer(of: film) }
        let source = try source(origin) { $0.revival = .milliseconds(50) }
        #expect(await failure(source) == .lost)
        isAway.withLock { $0 = false }
        var found: [UInt8]?
        while found == nil {
            switch await all(source) {
            case .success(let bytes): found = bytes
            case .failure(let failure): try #require(failure.kind == .lost)
            }
        }
        #expect(found == film)

        let refusing = try await ScriptedOrigin { _ in [.head("403 No", "Content-Length: 0")] }
        let refused = try self.source(refusing) { $0.revival = .milliseconds(1) }
        for _ in 0..<3 { #expect(await failure(refused) == .refused(403)) }
        #expect(refusing.requests.withLock { $0.count } == 1)
    }

    @Test("A silence is reported, and the read continues")
    func survivesSilence() async throws {
        let origin = try await ScriptedOrigin { [film] request in
            let answer = request.answer(of: film)
            guard request.number == 0, case .send(let body) = answer.last else { return answer }
            return [answer[0], .send(Array(body.prefix(1000))), .silence]
        }
        let source = try source(origin) {
            // Long enough for the other requests, also where each answer takes a second.
            $0.stallLimits = StallLimits(quiet: .milliseconds(50), stall: .seconds(5))
        }
        #expect(try await all(source).get() == film)
        #expect(source.statistics.silences >= 1 && source.waitReason == nil)
    }

    @Test("A transfer that is too slow ends with a typed failure")
    func endsTrickle() async throws {
        let origin = try await ScriptedOrigin { [film] request in
            guard case .send(let body) = request.answer(of: film).last else { return [] }
            return [request.answer(of: film)[0]]
                + body.prefix(1000).flatMap { [ScriptedOrigin.Step.send([$0]), .pause(milliseconds: 5)] }
        }
        let source = try source(origin) {
            $0.stallLimits = StallLimits(stall: .milliseconds(300), window: .milliseconds(60), leastBytes: 1000)
        }
        #expect(await failure(source) == .lost)
    }

    @Test("A source without ranges is read forward, with a length or not", arguments: ["length", "chunked", "close"])
    func playsForward(kind: String) async throws {
        let origin = try await ScriptedOrigin { [film] _ in
            switch kind {
            case "length": [.head("200 OK", "Content-Length: \(film.count)"), .send(film)]
            case "chunked":
                [
                    .head("200 OK", "Transfer-Encoding: chunked"), .send(Array("16E360\r\n".utf8)), .send(film),
                    .send(Array("\r\n0\r\n\r\n".utf8)),
                ]
            default: [.head("200 OK", "Connection: close"), .send(film), .close]
            }
        }
        let source = try source(origin)
        #expect(try await all(source).get() == film)
        #expect(!source.isSeekable && source.byteCount == 1_500_000)
        #expect(origin.requests.withLock { $0.count } == 1)
        #expect(try await all(source, from: 1_400_000).get() == Array(film[1_400_000...]))
    }

    @Test("A source without ranges keeps a head and a window that follows the playing reader")
    func movesWindow() async throws {
        let origin = try await ScriptedOrigin { [film] _ in
            [.head("200 OK", "Content-Length: \(film.count)"), .send(film)]
        }
        let source = try source(origin) { $0.windowByteLimit = 1 << 20 }
        let limits = ForwardWindow.Limits(byteCount: 1 << 20)
        let film = film
        let head = try await first(of: source)
        #expect(head == Array(film[..<1000]) && source.growth?.expectedByteCount == 1_500_000)
        #expect(source.growth?.becomesWhole == false && source.oldest == 0)
        // A follower reads the bytes that are there and does not move the window.
        let flag = InterruptFlag()
        let follower = source.makeReader(flag, isFollower: true)
        let ahead = Blocking()
        async let followed = ahead.run { Self.bytes(follower, 0, 50_000) }
        while source.bytesRead < limits.ahead { await Task.yield() }
        #expect(source.byteCount < limits.ahead + 200_000)
        #expect(try await all(source).get() == film)
        #expect(try await followed.get() == film)
        #expect(source.byteCount == 1_500_000 && source.growth == nil)
        #expect(source.oldest > limits.head)
        #expect(try await first(of: source) == Array(film[..<1000]))
        #expect(await failure(source, from: Int(limits.head)) == .notSeekable)
        #expect(try await all(source, from: 1_400_000).get() == Array(film[1_400_000...]))
        #expect(origin.requests.withLock { $0.count } == 1)
    }

    /// The first 1000 bytes.
    private func first(of source: HTTPSource) async throws -> [UInt8] {
        try await Blocking().run {
            let reader = source.makeReader()
            return Result {
                try [UInt8](upTo: 1000) { output throws(SourceFailure) in _ = try reader.read(at: 0, into: &output) }
            }
        }.get()
    }

    @Test(
        "A source without ranges that breaks off starts over if the resource is identifiable",
        arguments: ["length", "nothing", "other bytes", "always short"]
    )
    func beginsAgain(kind: String) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            let isFirst = request.number == 0
            let chunked = [Step.head("200 OK", "Transfer-Encoding: chunked"), .send(Array("16E360\r\n".utf8))]
            let sized = [Step.head("200 OK", "Content-Length: \(film.count)")]
            let cut = [Step.send(Array(film[..<600_000])), .pause(milliseconds: 20), .reset]
            switch kind {
            case "nothing": return chunked + (isFirst ? cut : [.send(film), .send(Array("\r\n0\r\n\r\n".utf8))])
            case "length": return sized + (isFirst ? cut : [.send(film)])
            case "other bytes": return sized + (isFirst ? cut : [.send(film.map { ~$0 })])
            default: return sized + cut
            }
        }
        let source = try source(origin)
        switch kind {
        case "length": #expect(try await all(source).get() == film)
        case "nothing": #expect(await failure(source) == .cannotContinue)
        case "other bytes": #expect(await failure(source) == .changed)
        default: #expect(await failure(source) == .lost)
        }
    }

    @Test("If a range that begins later is answered with the whole body, the body is read forward")
    func refusesWholeBodies() async throws {
        let origin = try await ScriptedOrigin { [film] _ in
            [.head("200 OK", "Content-Length: \(film.count)"), .send(film)]
        }
        #expect(try await all(try source(origin), from: 1_000_000).get() == Array(film[1_000_000...]))
    }

    @Test("A range shorter than requested is continued")
    func continuesShortRanges() async throws {
        let origin = try await ScriptedOrigin { [film] request in
            guard let first = request.range?.first else { return [] }
            let last = min(first + 99_999, request.range?.last ?? .max, film.count - 1)
            return [
                .head(
                    "206 Partial Content",
                    "Content-Range: bytes \(first)-\(last)/\(film.count)",
                    "Content-Length: \(last - first + 1)"
                ),
                .send(Array(film[first...last])),
            ]
        }
        #expect(try await all(try source(origin)).get() == film)
    }

    @Test("A server that answers each request with one valid byte causes a typed failure", arguments: [0, 1000])
    func endsSingleBytes(first: Int) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            guard let start = request.range?.first, start >= first else {
                return request.answer(of: film)
            }
            return [
                .head(
                    "206 Partial Content",
                    "Content-Range: bytes \(start)-\(start)/\(film.count)",
                    "Content-Length: 1"
                ),
                .send([film[start]]),
            ]
        }
        #expect(await failure(try source(origin)) == .lost)
    }

    @Test(
        "Invalid responses end with a typed failure",
        arguments: [
            (["206 P", "Content-Range: bytes 5-9/100", "Content-Length: 5"], .invalid(.otherRange("bytes 5-9/100"))),
            (["206 P", "Content-Length: 5"], .invalid(.noContentRange)),
            (
                ["206 P", "Content-Range: bytes 0-9/10", "Content-Length: 10", "Content-Encoding: gzip"],
                .invalid(.encoded("gzip"))
            ),
            (["200 OK", "Content-Length: 5", "Content-Encoding: gzip"], .invalid(.encoded("gzip"))),
            (["206 P", "Content-Range: bytes 0-9/10", "Content-Length: 99"], .invalid(.lengths)),
            (["404 N", "Content-Length: 0"], .notFound(404)), (["403 F", "Content-Length: 0"], .refused(403)),
            (["302 F", "Location: https:///", "Content-Length: 0"], .redirect(.noLocation)),
            (["302 F", "Location: file:///etc/passwd", "Content-Length: 0"], .redirect(.scheme("file"))),
            (["302 F", "Location: /film.mkv", "Content-Length: 0"], .redirect(.loop(""))),
            (["302 F", "Location: http://169.254.169.254/", "Content-Length: 0"], .address(.forbidden)),
        ] as [([String], SourceFailure.Kind)]
    )
    func endsTyped(head: [String], kind: SourceFailure.Kind) async throws {
        let origin = try await ScriptedOrigin { _ in
            [
                .send(Array(("HTTP/1.1 " + head.joined(separator: "\r\n") + "\r\n\r\n").utf8)),
                .send(Array(repeating: 1, count: 10)),
            ]
        }
        let expected = kind == .redirect(.loop("")) ? .redirect(.loop(origin.url())) : kind
        #expect(await failure(try source(origin)) == expected)
    }

    @Test("A response with a wrong length ends with a typed failure")
    func endsLies() async throws {
        let origin = try await ScriptedOrigin { _ in
            [.head("206 P", "Content-Range: bytes 0-9/10", "Content-Length: 10"), .send([1, 2]), .close]
        }
        // The engine requests the rest, but the response has another range.
        #expect(await failure(try source(origin)) == .invalid(.otherRange("bytes 0-9/10")))
        let short = try await ScriptedOrigin { [film] request in
            (request.range?.first ?? 0) < 300_000
                ? request.answer(of: film) : [.head("416 R", "Content-Range: bytes */300000", "Content-Length: 0")]
        }
        #expect(await failure(try source(short)) == .changed)
    }

    @Test("Bytes of two versions of a resource are never mixed", arguments: ["tag", "length"])
    func noticesChanges(kind: String) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            guard request.number > 1 else { return request.answer(of: film) }
            if kind == "length" { return request.answer(of: Array(film.dropLast())) }
            #expect(request.fields["if-range"] == "\"a\"")
            return [.head("200 OK", "ETag: \"b\"", "Content-Length: \(film.count)"), .send(film)]
        }
        #expect(await failure(try source(origin)) == .changed)
    }

    @Test("A refresh starts and stops reports, and earlier stalls are not reported")
    func refreshesReports() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let source = try source(origin)
        source.report {
            var playback = PlaybackReport()
            playback.stalls = 3
            return playback
        }
        _ = try await first(of: source)
        var other = HTTPSourceConfiguration(TransferRequest(try ResourceURL(origin.url("new.mkv")), byteLimit: .max))
        for options in [CMCDOptions(), nil] {
            other.cmcd = options
            source.refresh(other)
            source.dropMemory()
            #expect(try await all(source).get() == film)
            let requests = origin.requests.withLock { $0 }
            #expect((requests.last?.fields["cmcd-session"] != nil) == (options != nil))
            #expect(requests.allSatisfy { $0.fields["cmcd-status"] == nil })
        }
    }

    @Test("Playback is reported only if configured, with the state at each request", arguments: [true, false])
    func reports(isQuery: Bool) async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let silent = try source(origin, path: "film.mkv?sig=1")
        #expect(try await all(silent).get() == film)
        let before = origin.requests.withLock { $0 }
        #expect(before.allSatisfy { !$0.target.contains("CMCD") && $0.fields["cmcd-session"] == nil })
        var options = CMCDOptions()
        options.transport = isQuery ? .query : .header
        (options.sessionID, options.contentID) = ("s-1", "c-1")
        let source = try source(origin, path: "film.mkv?sig=1") { [options] in $0.cmcd = options }
        let playback = Locked(PlaybackReport())
        source.report { playback.withLock { $0 } }
        _ = try await first(of: source)
        playback.withLock { ($0.state, $0.buffered, $0.stalls, $0.bitrate) = (.playing, .seconds(4), 1, 8_000_000) }
        #expect(try await all(source).get() == film)
        let own = origin.requests.withLock { Array($0[before.count...]) }
        #expect(own.allSatisfy { $0.target.hasPrefix("/film.mkv?sig=1") })
        let words = own.map { request in
            let fields = ["request", "object", "status", "session"].compactMap { request.fields["cmcd-\($0)"] }
            let query = request.target.split(separator: "CMCD=").dropFirst().joined()
            return isQuery
                ? query.replacing("%3D", with: "=").replacing("%2C", with: ",") : fields.joined(separator: ",")
        }
        #expect(words.allSatisfy { $0.contains("sid=") && $0.contains("s-1") && $0.contains("c-1") })
        #expect(words[0].contains("su") && !words[0].contains("br="))
        let last = try #require(words.last)
        #expect(last.contains("bl=4000") && last.contains("br=8000") && !last.contains("su"))
        // Playback has run out of media once since the first request.
        #expect(words.count { $0.contains("bs") } == 1)
    }

    @Test("The engine never connects to its own server")
    func avoidsItself() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let port = origin.port
        #expect(await failure(try source(origin) { $0.ownPorts = [port] }) == .address(.ownServer))
        #expect(origin.requests.withLock { $0.isEmpty })
    }

    @Test("A waiting read can be interrupted, and its transfer is cancelled")
    func interrupts() async throws {
        let origin = try await ScriptedOrigin { _ in [.silence] }
        let source = try source(origin)
        let interrupt = InterruptFlag()
        let reader = await Blocking().run { source.makeReader(interrupt) }
        let result = Task { await Blocking().run { Self.bytes(reader, 0, 10) } }
        try await eventually { !origin.requests.withLock { $0.isEmpty } }
        interrupt.raise()
        #expect(await result.value == .failure(SourceFailure(.interrupted, "")))
        try await eventually { origin.connections.withLock { $0.now } == 0 }
    }

    @Test("A silent request does not delay others; a seek cancels requests that are no longer needed")
    func seeks() async throws {
        let origin = try await ScriptedOrigin { [film] request in
            (request.range?.first ?? 0) < 1_000_000
                ? [request.answer(of: film)[0], .silence] : request.answer(of: film)
        }
        // A busy machine may answer late on the second connection, which must not look blocked by the first.
        let limits = StallLimits(quiet: .seconds(2), stall: .seconds(600), window: .seconds(600))
        let source = try source(origin) { $0.stallLimits = limits }
        let interrupt = InterruptFlag()
        let (first, second) = await Blocking().run { (source.makeReader(interrupt), source.makeReader()) }
        let result = Task { await Blocking().run { Self.bytes(first, 0, 10) } }
        try await eventually { source.waitReason == .silent }
        #expect(try await Blocking().run { Self.bytes(second, 1_200_000, 50_000) }.get().count == 300_000)
        interrupt.raise()
        _ = await result.value
        try await eventually { origin.connections.withLock { $0.now } <= 1 }
    }
}
