// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineRuntime
import Testing

@testable import Transfers

/// Servers that answer some requests without the range, although they support ranges.
extension HTTPSourceTests {
    private typealias Request = ScriptedOrigin.Request
    private typealias Step = ScriptedOrigin.Step

    private static let page = Array("<html><body>Please log in</body></html>".utf8)

    private static func whole(_ film: [UInt8], _ fields: [String]) -> [Step] {
        let head = ["HTTP/1.1 200 OK", "Content-Length: \(film.count)"] + fields + ["", ""]
        return [.send(Array(head.joined(separator: "\r\n").utf8)), .send(film)]
    }

    @Test(
        "A response with the whole resource to one request does not end the ranges of a source",
        arguments: [["ETag: \"a\""], ["ETag: W/\"a\""], [], ["Content-Type: video/mp4", "Connection: close"]]
    )
    func survivesOneUnrangedResponse(fields: [String]) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            request.number == 1 ? Self.whole(film, fields) : request.answer(of: film)
        }
        let source = try source(origin) { $0.fetches.largest = 256 << 10 }
        #expect(try await all(source).get() == film)
        #expect(source.isSeekable)
    }

    @Test("A server that answers every condition without the range is asked without a condition")
    func avoidsConditions() async throws {
        let origin = try await ScriptedOrigin { [film] request in
            request.fields["if-range"] == nil ? request.answer(of: film) : Self.whole(film, ["ETag: \"a\""])
        }
        let source = try source(origin) { $0.fetches.largest = 256 << 10 }
        #expect(try await all(source).get() == film)
        #expect(source.isSeekable)
        #expect(origin.requests.withLock { $0.count { $0.fields["if-range"] != nil } } <= 5)
    }

    @Test("A server that has stopped supporting ranges is read forward")
    func losesRanges() async throws {
        let origin = try await ScriptedOrigin { [film] request in
            request.number == 0 ? request.answer(of: film) : Self.whole(film, ["ETag: \"a\""])
        }
        let source = try source(origin) { $0.fetches.largest = 256 << 10 }
        #expect(try await all(source).get() == film)
        #expect(!source.isSeekable)
    }

    @Test(
        "Bytes of an answer that may be of another version are never mixed with those of the source",
        arguments: ["chunked", "length", "tag"]
    )
    func refusesOtherVersions(kind: String) async throws {
        let other = film.map { ~$0 }
        let origin = try await ScriptedOrigin { [film] request in
            switch (request.number, kind) {
            case (0, _): return request.answer(of: film)
            case (_, "chunked"):
                let size = String(other.count, radix: 16)
                return [
                    .head("200 OK", "Transfer-Encoding: chunked"), .send(Array("\(size)\r\n".utf8)), .send(other),
                    .send(Array("\r\n0\r\n\r\n".utf8)),
                ]
            case (_, "length"): return Self.whole(other, [])
            default: return Self.whole(other, ["ETag: \"b\""])
            }
        }
        let source = try source(origin) { $0.fetches.largest = 256 << 10 }
        #expect(await failure(source, from: 300_000) == .changed)
    }

    @Test(
        "The page of a captive portal, and a redirect to it, are waited out",
        arguments: ["Content-Length: \(page.count)", "Connection: close"],
        [false, true]
    )
    func waitsOutPages(length: String, redirects: Bool) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            guard (1...4).contains(request.number) else { return request.answer(of: film) }
            if redirects, request.target != "/login" {
                return [.head("302 Found", "Location: /login", "Content-Length: 0")]
            }
            return [.head("200 OK", "Content-Type: text/html; charset=utf-8", length), .send(Self.page), .close]
        }
        let source = try source(origin) { $0.fetches.largest = 256 << 10 }
        #expect(try await all(source).get() == film)
        #expect(source.isSeekable)
    }

    @Test(
        "A lasting portal does not count as a change, not even one that serves ranges of its page: the source can be read later",
        arguments: [false, true]
    )
    func survivesPortals(redirects: Bool) async throws {
        let isAway = Locked(false)
        let origin = try await ScriptedOrigin { [film] request in
            guard isAway.withLock({ $0 }) else { return request.answer(of: film) }
            let length = "Content-Length: \(Self.page.count)"
            switch (redirects, request.target, request.range?.first ?? 0) {
            case (false, _, _): return [.head("200 OK", "Content-Type: text/html", length), .send(Self.page)]
            case (true, "/login", 0):
                let range = "Content-Range: bytes 0-\(Self.page.count - 1)/\(Self.page.count)"
                return [.head("206 P", "Content-Type: text/html", length, range), .send(Self.page)]
            case (true, "/login", _):
                return [.head("416 R", "Content-Range: bytes */\(Self.page.count)", "Content-Length: 0")]
            case (true, _, _): return [.head("302 Found", "Location: /login", "Content-Length: 0")]
            }
        }
        let source = try source(origin)
        #expect(try await all(source, from: 1_400_000).get() == Array(film[1_400_000...]))
        isAway.withLock { $0 = true }
        #expect(await failure(source) == .lost)
        isAway.withLock { $0 = false }
        source.retryNow()
        #expect(try await all(source).get() == film)
    }

    @Test("A film labelled text/html is read forward when its server stops supporting ranges")
    func readsMislabelledFilms() async throws {
        let origin = try await ScriptedOrigin { [film] request in
            guard request.number == 0 else { return Self.whole(film, ["Content-Type: text/html"]) }
            return [
                .head(
                    "206 P",
                    "Content-Type: text/html",
                    "Content-Range: bytes 0-9/\(film.count)",
                    "Content-Length: 10"
                ),
                .send(Array(film[..<10])),
            ]
        }
        let source = try source(origin)
        #expect(try await all(source).get() == film)
        #expect(!source.isSeekable)
    }
}
