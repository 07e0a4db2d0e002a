// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Testing

@testable import Transfers

@Suite("Transfer loop", .timeLimit(.minutes(10)))
struct TransferLoopTests {
    /// Made once, because each test has its own instance of the suite.
    private static let sharedFilm = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    private var film: [UInt8] { Self.sharedFilm }

    private func run(
        _ request: TransferRequest,
        stallLimits: StallLimits = StallLimits(),
        _ client: Recorder = Recorder()
    ) async -> (TransferReport, Recorder) {
        let loop = TransferLoop()
        _ = loop.start(request, stallLimits: stallLimits, for: client)
        return (await client.report(), client)
    }

    private func request(
        _ origin: ScriptedOrigin,
        _ range: RequestedRange = .whole,
        byteLimit: Int64 = 1 << 20
    ) throws -> TransferRequest {
        var request = TransferRequest(try ResourceURL(origin.url()), byteLimit: byteLimit)
        request.range = range
        return request
    }

    @Test("A requested range is delivered, and the report has its head")
    func deliversRanges() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let (report, client) = await run(try request(origin, .bytes(1000..<250_000)))
        #expect(report.end == .complete)
        #expect(report.facts.head?.status == 206)
        #expect(report.facts.head?["content-range"] == "bytes 1000-249999/300000")
        #expect(report.facts.address == "127.0.0.1")
        #expect(report.request == "GET \(origin.url()) (bytes=1000-249999)")
        #expect(client.body == Array(film[1000..<250_000]))
    }

    @Test("A request has the configured settings, fields and credentials")
    func sendsSettings() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        var request = TransferRequest(
            try ResourceURL("http://us%40er:p%3Aw@127.0.0.1:\(origin.port)/a b?key=1#part"),
            byteLimit: 1 << 20
        )
        request.settings.userAgent = "tester/1"
        request.headers = [try HTTPHeader(name: "X-Key", value: "v"), try HTTPHeader(name: "X-Empty", value: "")]
        request.range = .from(5)
        request.validator = "\"tag\""
        let (report, _) = await run(request)
        let seen = try #require(origin.requests.withLock { $0.first })
        #expect(seen.target == "/a%20b?key=1")
        #expect(seen.fields["authorization"] == "Basic dXNAZXI6cDp3")
        #expect(seen.fields["user-agent"] == "tester/1")
        #expect(seen.fields["x-key"] == "v" && seen.fields["x-empty"] == "")
        #expect(seen.fields["range"] == "bytes=5-" && seen.fields["if-range"] == "\"tag\"")
        #expect(seen.fields["accept-encoding"] == "identity")
        #expect(report.request == "GET http://127.0.0.1:\(origin.port)/a%20b (bytes=5-)")
    }

    @Test("A bearer token replaces the credentials in the URL")
    func sendsBearer() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        var request = try request(origin)
        request.credentials = .bearer("abc")
        _ = await run(request)
        #expect(origin.requests.withLock { $0.first?.fields["authorization"] } == "Bearer abc")
    }

    @Test("Consecutive transfers share a connection, and transfers with one jar share cookies")
    func sharesConnections() async throws {
        let origin = try await ScriptedOrigin { _ in
            [.head("200 OK", "Content-Length: 2", "Set-Cookie: taste=sweet"), .send([1, 2])]
        }
        let loop = TransferLoop()
        let jar = CookieJar()
        for _ in 0..<2 {
            var request = try request(origin)
            request.cookies = jar
            let client = Recorder()
            _ = loop.start(request, for: client)
            #expect(await client.report().end == .complete)
        }
        let stranger = Recorder()
        _ = loop.start(try request(origin), for: stranger)
        #expect(await stranger.report().facts.isNewConnection == false)
        #expect(origin.connections.withLock { $0.most } == 1)
        #expect(origin.requests.withLock { $0.map { $0.fields["cookie"] } } == [nil, "taste=sweet", nil])
    }

    @Test("Cookies that the caller sets are sent in one field with those of the jar")
    func joinsCookies() async throws {
        let origin = try await ScriptedOrigin { _ in
            [.head("200 OK", "Content-Length: 2", "Set-Cookie: taste=sweet"), .send([1, 2])]
        }
        var request = try request(origin)
        request.cookies = CookieJar()
        for values in [[""], ["own=1; other=2", ""]] {
            request.headers = try values.map { value in try HTTPHeader(name: "cookie", value: value) }
            _ = await run(request)
        }
        let seen = origin.requests.withLock { $0.map { $0.fields["cookie"] } }
        #expect(seen == [nil, "taste=sweet; own=1; other=2"], "an empty one is not sent")
    }

    @Test("Redirects are delivered, not followed")
    func leavesRedirects() async throws {
        let origin = try await ScriptedOrigin { _ in [.head("302 Found", "Location: /other", "Content-Length: 0")] }
        let (report, _) = await run(try request(origin))
        #expect(report.facts.head?["location"] == "/other")
        #expect(origin.requests.withLock { $0.count } == 1)
    }

    @Test("A body beyond its limit ends the transfer, chunked or not", arguments: [true, false])
    func limitsBodies(isChunked: Bool) async throws {
        let origin = try await ScriptedOrigin { _ in
            let body = [UInt8](repeating: 65, count: 2000)
            return isChunked
                ? [.head("200 OK", "Transfer-Encoding: chunked"), .send(Array("7D0\r\n".utf8) + body), .silence]
                : [.head("200 OK", "Content-Length: 2000"), .send(body)]
        }
        let (report, client) = await run(try request(origin, byteLimit: 1999))
        #expect(report.end == .tooLong)
        #expect(client.body.count <= 1999)
    }

    @Test(
        "A head with too many fields or too many bytes ends the transfer with a fault of its own",
        arguments: [300, 1]
    )
    func limitsHeads(count: Int) async throws {
        let value = String(repeating: "y", count: count == 1 ? 5 << 20 : 1)
        let origin = try await ScriptedOrigin { _ in
            [.head("HTTP/1.1 200 OK\r\n" + (0..<count).map { "X-\($0): \(value)" }.joined(separator: "\r\n"))]
        }
        let (report, _) = await run(try request(origin))
        guard case .failed(let error) = report.end else {
            Issue.record("ended as \(report.end)")
            return
        }
        #expect(error.fault == .longHead && report.description.hasSuffix("the header of the response is too long"))
    }

    @Test(
        "A connection that ends early and a response that is not HTTP are distinct faults",
        arguments: ["reset", "close", "empty", "noise", "lie"]
    )
    func reportsFaults(kind: String) async throws {
        let origin = try await ScriptedOrigin { _ in
            switch kind {
            case "reset": [.head("200 OK", "Content-Length: 9"), .send([1]), .pause(milliseconds: 20), .reset]
            case "empty": [.close]
            case "noise": [.send(Array("SSH-2.0-x\r\n".utf8)), .close]
            default: [.head("200 OK", "Content-Length: 9"), .send([1]), .close]
            }
        }
        let (report, _) = await run(try request(origin))
        guard case .failed(let error) = report.end else {
            Issue.record("ended as \(report.end)")
            return
        }
        #expect(error.fault == (kind == "noise" ? .response : .interrupted))
    }

    @Test("A silence is reported, then ends the transfer")
    func endsSilence() async throws {
        let origin = try await ScriptedOrigin { _ in
            [.head("200 OK", "Content-Length: 9"), .send([1]), .silence]
        }
        let stallLimits = StallLimits(quiet: .milliseconds(20), stall: .milliseconds(120))
        let (report, client) = await run(try request(origin), stallLimits: stallLimits)
        #expect(report.end == .stalled)
        // On a loaded machine there may be a silence before the first byte, too.
        #expect((1...2).contains(client.quietCount))
    }

    @Test("A transfer that is too slow is ended")
    func endsTrickles() async throws {
        let origin = try await ScriptedOrigin { _ in
            [.head("200 OK", "Content-Length: 900")]
                + (0..<500).flatMap { _ in [ScriptedOrigin.Step.send([1]), .pause(milliseconds: 10)] }
        }
        let stallLimits = StallLimits(window: .milliseconds(100), leastBytes: 50)
        #expect(await run(try request(origin), stallLimits: stallLimits).0.end == .tooSlow)
    }

    @Test("A transfer can be cancelled while it waits for bytes and while it waits to start")
    func cancels() async throws {
        let origin = try await ScriptedOrigin { _ in [.silence] }
        let loop = TransferLoop()
        let (silent, late) = (Recorder(), Recorder())
        // The machine may pause for longer than the usual limit.
        let patience = StallLimits(stall: .seconds(3600), leastBytes: 0)
        let first = loop.start(try request(origin), stallLimits: patience, for: silent)
        let second = loop.start(try request(origin), after: .seconds(3600), for: late)
        try await origin.untilArrival(of: 1)
        loop.cancel(first)
        loop.cancel(second)
        #expect(await silent.report().end == .cancelled)
        #expect(await late.report().end == .cancelled)
    }

    @Test("Transfers that last as long as their readers do not keep others of their origin waiting")
    func passesEndless() async throws {
        let origin = try await ScriptedOrigin { [film] request in
            request.fields["range"] == nil ? [.head("200 OK"), .send([1]), .silence] : request.answer(of: film)
        }
        let loop = TransferLoop()
        // The limits keep them from counting as silent, which would give their places to others too.
        let patience = StallLimits(quiet: .seconds(3600), stall: .seconds(3600), leastBytes: 0)
        let streams = (0..<12).map { _ in Recorder(isEndless: true) }
        let started = try streams.map { loop.start(try request(origin), stallLimits: patience, for: $0) }
        let ranged = Recorder()
        _ = loop.start(try request(origin, .bytes(0..<100)), for: ranged)
        #expect(await ranged.report().end == .complete)
        let silent = (0..<5).map { _ in Recorder() }
        let waiting = try silent.map { loop.start(try request(origin), stallLimits: patience, for: $0) }
        try await origin.untilArrival(of: 18)
        for id in started { loop.cancel(id) }
        for stream in streams { #expect(await stream.report().end == .cancelled) }
        // Their places were given away once, so the origin is at its limit. A request to another origin overtakes.
        let other = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let (last, overtaking) = (Recorder(), Recorder())
        _ = loop.start(try request(origin, .bytes(0..<100)), for: last)
        _ = loop.start(try request(other, .bytes(0..<100)), for: overtaking)
        #expect(await overtaking.report().end == .complete)
        #expect(origin.requests.withLock { $0.count } == 18)
        for id in waiting { loop.cancel(id) }
        #expect(await last.report().end == .complete)
    }

    @Test("A transfer in its pause starts at once on startNow")
    func hurries() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let loop = TransferLoop()
        let client = Recorder()
        loop.startNow(loop.start(try request(origin), after: .seconds(3600), for: client))
        #expect(await client.report().end == .complete)
    }

    @Test("Releasing the loop cancels running transfers")
    func endsWithOwner() async throws {
        let origin = try await ScriptedOrigin { _ in [.silence] }
        let client = Recorder()
        do {
            let loop = TransferLoop()
            _ = loop.start(try request(origin), for: client)
        }
        #expect(await client.report().end == .cancelled)
    }

    @Test(
        "If a server serves one connection, all transfers use it, whether the server resets the others or leaves them silent",
        arguments: [ScriptedOrigin.Step.reset, .silence]
    )
    func sharesOneConnection(refusal: ScriptedOrigin.Step) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            request.concurrency > 1 ? [refusal] : [.pause(milliseconds: 20)] + request.answer(of: film)
        }
        let loop = TransferLoop()
        let first = Recorder()
        _ = loop.start(try request(origin), for: first)
        #expect(await first.report().end == .complete)
        let clients = (0..<5).map { _ in Recorder() }
        // A transfer that waited for its own connection would never end.
        let patience = StallLimits(quiet: .milliseconds(50), stall: .seconds(3600), leastBytes: 0)
        for client in clients { _ = loop.start(try request(origin), stallLimits: patience, for: client) }
        for client in clients {
            #expect(await client.report().end == .complete)
            #expect(client.body == film)
        }
    }

    @Test("Nothing is sent to an address that is not allowed, on a new or a reused connection")
    func refusesAddresses() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let loop = TransferLoop()
        for isAllowed in [false, true, false] {
            let client = Recorder(allows: isAllowed)
            _ = loop.start(try request(origin), for: client)
            #expect(await client.report().end == (isAllowed ? .complete : .refusedAddress("127.0.0.1")))
            let peer = TransferPeer("127.0.0.1", port: origin.port, localAddress: "127.0.0.1")
            #expect(client.asked.withLock { $0 } == peer)
        }
        #expect(origin.requests.withLock { $0.count } == 1)
    }

    @Test(
        "Addresses are judged with `proxy=environment`, too, if the environment names no proxy for the server",
        .enabled { ProxyEnvironment.process.proxy(for: try ResourceURL("http://127.0.0.1/")) == .none }
    )
    func refusesAddressesWithoutProxy() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        var request = try request(origin)
        request.settings.proxy = .environment
        #expect(await run(request, Recorder(allows: false)).0.end == .refusedAddress("127.0.0.1"))
        #expect(await run(request).0.end == .complete)
    }

    @Test("A proxy is judged before anything is sent to it")
    func refusesProxies() async throws {
        let proxy = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        var request = TransferRequest(try ResourceURL("http://film.invalid/"), byteLimit: .max)
        request.settings.proxy = .url("http://127.0.0.1:\(proxy.port)")
        #expect(await run(request, Recorder(allows: false)).0.end == .refusedAddress("127.0.0.1"))
        #expect(proxy.requests.withLock(\.isEmpty))
        #expect(await run(request).0.end == .complete)
    }

    @Test("A refused connection and an unknown host name are distinct failures")
    func tellsFaultsApart() async throws {
        let origin = try await ScriptedOrigin { _ in [] }
        let url = origin.url()
        try await origin.close()
        let (closed, _) = await run(TransferRequest(try ResourceURL(url), byteLimit: 1))
        let (unknown, _) = await run(TransferRequest(try ResourceURL("http://nowhere.invalid/"), byteLimit: 1))
        for (report, fault) in [(closed, TransferFault.connection), (unknown, .name)] {
            guard case .failed(let error) = report.end else {
                Issue.record("ended as \(report.end)")
                continue
            }
            #expect(error.fault == fault)
        }
    }

    @Test("Hundreds of concurrent transfers all end")
    func runsMany() async throws {
        let origin = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let loop = TransferLoop()
        let clients = (0..<200).map { _ in Recorder() }
        for client in clients { _ = loop.start(try request(origin, .bytes(0..<100)), for: client) }
        for client in clients { #expect(await client.report().end == .complete) }
    }
}

@Suite("Stall watch")
struct StallWatchTests {
    private let second: Int64 = 1_000_000_000

    /// Each row: the least bytes in a window, the total bytes received by each second, and the expected findings.
    @Test(
        "A silence is reported once and ends the transfer later; received bytes end the silence",
        arguments: [
            (0, [0, 0, 0, 0, 0, 0, 0], [.fine, .fine, .fine, .quiet, .fine, .fine, .stalled]),
            (0, [0, 1, 1, 1, 1, 9, 9, 9, 9], [.fine, .fine, .fine, .fine, .quiet, .fine, .fine, .fine, .quiet]),
            (
                50, [0, 200, 300, 400, 500, 501, 502, 503, 504, 505, 506],
                Array(repeating: .fine, count: 10) + [.tooSlow]
            ),
        ] as [(Int64, [Int64], [StallWatch.Finding])]
    )
    func finds(least: Int64, bytes: [Int64], findings: [StallWatch.Finding]) {
        let stallLimits = StallLimits(quiet: .seconds(3), stall: .seconds(6), window: .seconds(5), leastBytes: least)
        var watch = StallWatch(stallLimits, now: 0)
        for (index, (count, finding)) in zip(bytes, findings).enumerated() {
            #expect(watch.check(byteCount: count, now: Int64(index) * second) == finding, "second \(index)")
        }
    }

    @Test("A silence is reported even if the first check is made after the stall limit")
    func late() {
        var watch = StallWatch(StallLimits(quiet: .seconds(3), stall: .seconds(6)), now: 0)
        #expect(watch.check(byteCount: 0, now: 9 * second) == .quiet)
        #expect(watch.nextCheck <= 9 * second)
        #expect(watch.check(byteCount: 0, now: 9 * second) == .stalled)
    }
}

@Suite("URLs of resources")
struct ResourceURLTests {
    @Test(
        "A reference is resolved as by libcurl, and shown without credentials",
        arguments: [
            ("https://h/a/b?q", "../c.ts?x=1", "https://h/c.ts?x=1", "https://h/c.ts"),
            ("https://h/a/b", "//other:8443/z", "https://other:8443/z", "https://other:8443/z"),
            ("http://u:p@h/a", "b", "http://h/b", "http://h/b"),
            ("http://h/a", "HTTP://U:P@0x7f.1:80/#f", "http://127.0.0.1/", "http://127.0.0.1/"),
            ("http://[2001:db8::1]:81/a", "?q", "http://[2001:db8::1]:81/a?q", "http://[2001:db8::1]:81/a"),
        ]
    )
    func resolves(base: String, reference: String, text: String, shown: String) throws {
        let url = try ResourceURL(base).resolving(reference)
        #expect(url.text == text && url.shown == shown)
    }

    @Test("Origins compare scheme, host and port")
    func comparesOrigins() throws {
        #expect(try ResourceURL("https://H/a").origin == ResourceURL("https://h:443/b").origin)
        #expect(try ResourceURL("https://h/a").origin != ResourceURL("http://h:443/a").origin)
        #expect(try ResourceURL("http://[::1]/").origin.host == "::1")
    }

    @Test("Other schemes are refused", arguments: ["file:///etc/passwd", "gopher://h/a"])
    func refusesSchemes(text: String) throws {
        let scheme = text.prefix { $0 != ":" }.description
        #expect(throws: ResourceURL.Failure.scheme(scheme)) { try ResourceURL(text) }
        #expect(throws: ResourceURL.Failure.scheme(scheme)) { try ResourceURL("http://h/").resolving(text) }
    }

    @Test(
        "The schemes of servers are read, and each has its port",
        arguments: [
            ("dav://h/a?b", "http://h/a?b", 80), ("DAVS://h/a", "https://h/a", 443),
            ("webdavs://h:8443/a", "https://h:8443/a", 8443), ("sftp://h/a", "sftp://h/a", 22),
            ("ftp://h/a", "ftp://h/a", 21), ("ftps://h/a", "ftps://h/a", 990), ("ftpes://h/a", "ftpes://h/a", 21),
            ("sftp://me:x@h:2222/a%20b", "sftp://h:2222/a%20b", 2222),
        ]
    )
    func readsSchemes(text: String, url: String, port: Int) throws {
        let found = try ResourceURL(text)
        #expect(found.text == url && found.origin.port == port)
        #expect(found.origin.isSecure == ["https", "sftp", "ftps", "ftpes"].contains(found.scheme.rawValue))
    }

    @Test(
        "No reference leads to another protocol",
        arguments: [
            ("http://h/a", "sftp://h/b"), ("https://h/a", "davs://h/b"), ("sftp://h/a", "http://h/b"),
            ("ftp://h/a", "ftps://h/b"),
        ]
    )
    func keepsProtocols(text: String, reference: String) throws {
        let scheme = reference.prefix { $0 != ":" }.description
        #expect(throws: ResourceURL.Failure.scheme(scheme)) { try ResourceURL(text).resolving(reference) }
        #expect(try ResourceURL("sftp://h/a/b.m3u8").resolving("c.ts").text == "sftp://h/a/c.ts")
    }

    @Test("A question mark is part of a file's name, but not of HTTP's path")
    func showsNames() throws {
        #expect(try ResourceURL("sftp://me:secret@h/what?.mkv").shown == "sftp://h/what?.mkv")
        #expect(try ResourceURL("https://h/a?sig=1").shown == "https://h/a")
    }

    @Test(
        "Malformed text is refused",
        arguments: ["", "http://", "http://h:99999/", "http://a\nb/", "film.mkv", "data:,x"]
    )
    func refusesNonsense(text: String) { #expect(throws: ResourceURL.Failure.malformed) { try ResourceURL(text) } }
}

/// Records the events of a transfer.
final class Recorder: TransferClient {
    private struct State {
        var body: [UInt8] = []
        var quietCount = 0
        var report: TransferReport?
    }

    private let state = Locked(State())
    private let signal = ChangeSignal()
    private let isAllowed: Bool
    let isEndless: Bool
    let asked = Locked<TransferPeer?>(nil)

    init(allows: Bool = true, isEndless: Bool = false) {
        isAllowed = allows
        self.isEndless = isEndless
    }

    var body: [UInt8] { state.withLock { $0.body } }
    var quietCount: Int { state.withLock { $0.quietCount } }

    func report() async -> TransferReport {
        while true {
            let seen = signal.signalCount
            if let report = state.withLock({ $0.report }) { return report }
            await signal.wait(after: seen)
        }
    }

    func began(_ head: TransferHead) -> Bool { true }

    func received(_ bytes: RawSpan) -> Bool {
        state.withLock { state in
            state.body.append(copying: bytes)
        }
        return true
    }

    func allows(_ peer: TransferPeer) -> Bool {
        asked.withLock { $0 = peer }
        return isAllowed
    }

    func wentQuiet() { state.withLock { $0.quietCount += 1 } }

    func ended(_ report: TransferReport) {
        state.withLock { $0.report = report }
        signal.signal()
    }
}
