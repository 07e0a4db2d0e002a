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
        afterRedirect: Bool
    ) throws -> FetchEnd {
        var route = RedirectPolicy(try ResourceURL("http://example.org/film.mkv"))
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
        "A page to which a redirect has led is retried; if it stays, the source has changed",
        arguments: [(416, "bytes */1400", "video/mp4"), (206, "bytes 2000-2099/2100", "text/html; charset=utf-8")]
    )
    func portal(status: Int, field: String, type: String) throws {
        let page = try end(status, field, type: type, afterRedirect: true)
        guard case .retried(.rangeIgnored) = page.outcome(wall: 0) else {
            Issue.record("\(page.outcome(wall: 0))")
            return
        }
        #expect(page.exhaustion == .changed)
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
}
