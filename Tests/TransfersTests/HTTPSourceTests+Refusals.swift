// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Transfers

/// Servers that refuse requests or answer them elsewhere.
extension HTTPSourceTests {
    @Test("Refused requests are retried, and end with a typed failure after too long", arguments: [429, 503])
    func waitsOutRefusals(status: Int) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            guard request.number % 3 != 2, request.number > 0 else {
                return [.head("\(status) Busy", "Retry-After: 0", "Content-Length: 0")]
            }
            return request.answer(of: film)
        }
        #expect(try await all(try source(origin)).get() == film)
        let never = try await ScriptedOrigin { _ in [.head("\(status) Busy", "Retry-After: 0", "Content-Length: 0")] }
        let source = try source(never) { $0.retries.refusals = .milliseconds(100) }
        #expect(await failure(source) == .busy(status))
    }

    @Test("A source that its server has refused can be read once a client requests another attempt")
    func triesAgain() async throws {
        let isRefused = Locked(true)
        let origin = try await ScriptedOrigin { [film] request in
            isRefused.withLock { $0 } ? [.head("403 Forbidden", "Content-Length: 0")] : request.answer(of: film)
        }
        let source = try source(origin)
        #expect(await failure(source) == .refused(403))
        isRefused.withLock { $0 = false }
        source.retryNow()
        #expect(await failure(source) == .refused(403), "the network has changed, but no client requests an attempt")
        (source as any ByteSource).retry()
        #expect(try await all(source).get() == film)
    }

    @Test("A response whose header is too long fails with that reason, without another attempt")
    func reportsLongHeaders() async throws {
        let origin = try await ScriptedOrigin { _ in
            [.head("206 P", "X-Long: \(String(repeating: "x", count: 5 << 20))", "Content-Length: 0")]
        }
        let source = try source(origin)
        #expect(await failure(source) == .longHead)
        #expect(origin.requests.withLock { $0.count } == 1)
        let failure = try #require(source.failure)
        #expect(EngineError(failure, "a").description.contains("header that is too long"))
    }

    @Test("A server that accepts one connection is enough")
    func needsOneConnection() async throws {
        let refusals = Locked(0)
        let origin = try await ScriptedOrigin { [film] request in
            guard request.concurrency > 1 else { return [.pause(milliseconds: 5)] + request.answer(of: film) }
            refusals.withLock { $0 += 1 }
            return [.head("503 Busy", "Retry-After: 0", "Content-Length: 0")]
        }
        #expect(try await all(try source(origin)).get() == film)
        #expect(refusals.withLock { $0 } > 0)
    }

    @Test("An expired redirect target is resolved once more; then the source fails until it is refreshed")
    func refreshes() async throws {
        let expired = Locked(0)
        let origin = try await ScriptedOrigin { [film] request in
            let level = expired.withLock { $0 }
            if request.target == "/film.mkv" {
                return [.head("302 Found", "Location: /signed?\(level)", "Content-Length: 0")]
            }
            let isGood = request.target == "/signed?\(level)" && level < 2 || request.target == "/new"
            if isGood, (request.range?.first ?? 0) >= 256 << 10, level == 0 {
                expired.withLock { $0 = 1 }
                return [.head("403 Expired", "Content-Length: 0")]
            }
            if isGood, (request.range?.first ?? 0) >= 512 << 10, level == 1, request.target != "/new" {
                expired.withLock { $0 = 2 }
                return [.head("403 Expired", "Content-Length: 0")]
            }
            return isGood ? request.answer(of: film) : [.head("403 Expired", "Content-Length: 0")]
        }
        let source = try source(origin) { $0.fetches.largest = 256 << 10 }
        #expect(await failure(source) == .refused(403))
        source.refresh(HTTPSourceConfiguration(TransferRequest(try ResourceURL(origin.url("new")), byteLimit: .max)))
        #expect(try await all(source).get() == film)
        #expect(source.statistics.bytesReceived == 1_500_000)
    }

    @Test("A request redirected to another origin has the range but no credentials, and the redirect is remembered")
    func followsRedirects() async throws {
        let target = try await ScriptedOrigin { [film] in $0.answer(of: film) }
        let origin = try await ScriptedOrigin { _ in
            [.head("302 Found", "Location: \(target.url("there"))", "Content-Length: 0")]
        }
        let source = try source(origin) {
            $0.request.credentials = .bearer("secret")
            $0.request.headers = [try HTTPHeader(name: "X-Token", value: "secret")]
        }
        #expect(try await all(source).get() == film)
        #expect(origin.requests.withLock { $0.count } == 1)
        #expect(origin.requests.withLock { $0[0].fields["authorization"] } == "Bearer secret")
        let seen = target.requests.withLock { $0 }
        #expect(seen.allSatisfy { $0.fields["authorization"] == nil && $0.fields["x-token"] == nil })
        #expect(seen.allSatisfy { $0.range != nil })
    }

    @Test(
        "The end of a source is found although its server states the length neither with a range nor when it refuses one",
        arguments: [0, 1_499_999, 1_500_000, 4_000_000]
    )
    func findsEnd(first: Int) async throws {
        let origin = try await ScriptedOrigin { [film] request in
            guard let range = request.range, range.first < film.count else {
                return [.head("416 Range Not Satisfiable", "Content-Length: 0")]
            }
            let last = min(range.last ?? .max, film.count - 1)
            return [
                .head(
                    "206 Partial Content",
                    "Content-Range: bytes \(range.first)-\(last)/*",
                    "Content-Length: \(last - range.first + 1)"
                ),
                .send(Array(film[range.first...last])),
            ]
        }
        let source = try source(origin)
        // If the first request is refused, the bytes before its offset can still be read.
        #expect(try await all(source, from: first).get() == Array(film.dropFirst(first)))
        #expect(try await all(source).get() == film)
        #expect(source.byteCount == 1_500_000 && source.statistics.retries == 0)
    }
}
