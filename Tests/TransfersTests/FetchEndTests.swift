// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import Testing

@testable import Transfers

@Suite("The end of a request")
struct FetchEndTests {
    /// The end of a request whose response states the range `field`.
    private func end(
        _ status: Int,
        _ field: String,
        type: String = "video/mp4",
        afterRedirect: Bool,
        query: String = ""
    ) throws -> FetchEnd {
        var route = RedirectPolicy(try ResourceURL("http://example.org/film.mkv\(query)"))
        if afterRedirect {
            let place = ResponseHead.Field("Location", "http://portal.example/login.html")
            try route.follow(ResponseHead(status: 302, fields: [place]))
        }
        let head = ResponseHead(
            status: status,
            fields: [ResponseHead.Field("Content-Range", field), ResponseHead.Field("Content-Type", type)]
        )
        var fetches = RunningFetches()
        fetches.add(1, 2000..<3000, isUrgent: true, route, failures: 0)
        fetches.answered(1, RangeResponse(head, to: .bytes(2000..<3000), known: ResourceState(byteCount: 9000)))
        var facts = TransferFacts()
        facts.head = head
        let report = TransferReport(request: "GET", end: .declined, facts: facts)
        let removed = fetches.remove(1)
        let fetch = try #require(removed)
        return FetchEnd(fetch: fetch, report: report, now: 0, chance: 0)
    }

    @Test(
        "A page to which a redirect has led is retried; if it stays, the source is lost, but has not changed",
        arguments: [(416, "bytes */1400", "video/mp4"), (206, "bytes 2000-2099/2100", "text/html; charset=utf-8")]
    )
    func portal(status: Int, field: String, type: String) throws {
        let page = try end(status, field, type: type, afterRedirect: true)
        guard case .retried(.rangeIgnored) = page.outcome(wall: 0) else {
            Issue.record("\(page.outcome(wall: 0))")
            return
        }
        #expect(page.cause(of: .lost, wall: 0) == .lost)
    }

    @Test("A source that has become shorter has changed", arguments: [(416, false), (206, true), (206, false)])
    func changed(status: Int, afterRedirect: Bool) throws {
        let field = status == 416 ? "bytes */1400" : "bytes 2000-2999/5000"
        let found = try end(status, field, afterRedirect: afterRedirect)
        guard case .failed(.changed) = found.outcome(wall: 0) else {
            Issue.record("\(found.outcome(wall: 0))")
            return
        }
    }

    @Test(
        "A signed URL that is refused after its expiry has expired; one that is refused before, or by a proxy, has not",
        arguments: [
            (403, 1000, .expired(403)), (400, 2000, .expired(400)), (403, 999, .refused(403)),
            (407, 1000, .refused(407)),
        ] as [(Int, Int64, SourceFailure.Kind)]
    )
    func expired(status: Int, wall: Int64, kind: SourceFailure.Kind) throws {
        let signed = try end(status, "", afterRedirect: false, query: "?Expires=1000&Signature=a%2Bb")
        #expect(signed.cause(of: .refused(status), wall: wall) == kind)
        #expect(signed.cause(of: .notFound(404), wall: wall) == .notFound(404))
    }

    @Test("The error of a signed URL that has expired says so, without its query")
    func saysExpiry() throws {
        let signed = try end(403, "", afterRedirect: false, query: "?Expires=1000&Signature=secret")
        let kind = signed.cause(of: .refused(403), wall: 1000)
        let error = EngineError(SourceFailure(kind, signed.detail), signed.fetch.route.url.shown)
        #expect(error.code == .sourceRefused)
        #expect("\(error)".contains("the signed URL has expired") && !"\(error)".contains("secret"))
    }

    /// The settlement of a request for the whole resource that delivered `count` bytes.
    ///
    /// - Parameter window: `nil` for a server that supports ranges.
    private func settlement(
        _ end: TransferEnd,
        _ count: Int64,
        of byteCount: Int64?,
        _ window: ForwardWindow?,
        type: String = "video/mp2t"
    ) throws -> FetchEnd.Settlement {
        var fetches = RunningFetches()
        let route = RedirectPolicy(try ResourceURL("http://example.org/film.mkv"))
        let whole = 0..<(byteCount ?? .max)
        fetches.add(1, whole, isUrgent: true, route, failures: 0)
        fetches.narrow(1, to: count..<whole.upperBound)
        var facts = TransferFacts()
        facts.byteCount = count
        facts.head = ResponseHead(status: 200, fields: [ResponseHead.Field("Content-Type", type)])
        let removed = fetches.remove(1)
        let fetch = try #require(removed)
        let report = TransferReport(request: "GET", end: end, facts: facts)
        return FetchEnd(fetch: fetch, report: report, now: 0, chance: 0).settlement(byteCount: byteCount, window)
    }

    /// The window of a source without ranges. Its latest transfer has delivered the bytes `new`.
    private func window(isLive: Bool, new: Range<Int64>) -> ForwardWindow {
        var window = ForwardWindow(ForwardWindow.Limits(byteCount: 8 << 20))
        if isLive { window.becomeLive() }
        window.received(0..<new.lowerBound)
        window.began()
        window.received(new)
        return window
    }

    @Test("A request whose bytes have all arrived is received, whoever ended it")
    func received() throws {
        for end in [TransferEnd.complete, .declined] {
            #expect(try settlement(end, 100, of: 100, nil) == .received)
            #expect(try settlement(end, 100, of: 100, window(isLive: false, new: 0..<100)) == .received)
        }
    }

    @Test("A body that the scheduler declined leaves nothing to do; one that ended early is requested again")
    func early() throws {
        #expect(try settlement(.declined, 60, of: 100, nil) == .declined)
        #expect(try settlement(.complete, 60, of: 100, nil) == .brokenOff(.lost))
        #expect(try settlement(.complete, 60, of: 100, window(isLive: false, new: 0..<60)) == .brokenOff(.lost))
        #expect(try settlement(.complete, 60, of: nil, nil) == .brokenOff(.lost))
    }

    @Test("A body without a length ends its source; that of a live stream, only if it has only repeated bytes")
    func streams() throws {
        #expect(try settlement(.complete, 60, of: nil, window(isLive: false, new: 0..<60)) == .streamEnded)
        #expect(try settlement(.complete, 0, of: nil, window(isLive: false, new: 0..<0)) == .streamEnded)
        #expect(try settlement(.complete, 60, of: nil, window(isLive: true, new: 0..<60)) == .brokenOff(.ended))
        // The connection has repeated what an earlier one delivered.
        #expect(try settlement(.complete, 60, of: nil, window(isLive: true, new: 60..<60)) == .streamEnded)
        #expect(try settlement(.complete, 0, of: nil, window(isLive: true, new: 60..<60)) == .brokenOff(.lost))
        // The server has answered with a page.
        let page = try settlement(.complete, 60, of: nil, window(isLive: true, new: 60..<60), type: "text/html")
        #expect(page == .brokenOff(.lost))
    }
}
