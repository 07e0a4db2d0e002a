// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Testing

@testable import Transfers

private typealias Step = ScriptedOrigin.Step

@Suite("The refresh of a source", .timeLimit(.minutes(10)))
struct SourceRefreshTests {
    private static let film = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ $0 >> 16) }
    private static let refusal = [Step.head("403 Forbidden", "Content-Length: 0")]

    private let sources = HTTPSources(.on)

    private func open(_ url: String) async throws -> HTTPSource {
        let url = try ResourceURL(url)
        return try await Blocking().run { [sources] in
            Result { () throws(EngineError) in try sources.open(url, HTTPOptions(), interrupt: InterruptFlag()) }
        }.get()
    }

    /// - Returns: the error; `nil` after a success.
    private func refresh(
        _ source: HTTPSource,
        _ url: String,
        comparesVersion: Bool = true,
        _ flag: InterruptFlag = InterruptFlag()
    ) async throws -> EngineError? {
        let url = try ResourceURL(url)
        return await Blocking().run { [sources] in
            do throws(EngineError) {
                try sources.refresh(
                    source,
                    from: url,
                    writtenAs: url.text,
                    HTTPOptions(),
                    comparesVersion: comparesVersion,
                    interrupt: flag
                )
                return nil
            } catch {
                return error
            }
        }
    }

    private func read(_ source: HTTPSource, at offset: Int64) async -> Result<[UInt8], SourceFailure> {
        await Blocking().run {
            Result { () throws(SourceFailure) in
                let reader = source.makeReader()
                return try [UInt8](upTo: 1000) { output throws(SourceFailure) in
                    _ = try reader.read(at: offset, into: &output)
                }
            }
        }
    }

    /// Serves the film at `/old` and at `/new`, and what `other` says everywhere else.
    private func origin(
        _ other: @escaping @Sendable (ScriptedOrigin.Request) -> [Step] = { _ in Self.refusal }
    ) async throws -> ScriptedOrigin {
        try await ScriptedOrigin { request in
            ["/old", "/new"].contains { request.target.hasPrefix($0) } ? request.answer(of: Self.film) : other(request)
        }
    }

    @Test("continues from the new URL, after one request for one byte of it")
    func continues() async throws {
        let origin = try await origin()
        let source = try await open(origin.url("old?sig=1"))
        #expect(try await refresh(source, origin.url("new?sig=2")) == nil)
        let asked = origin.requests.withLock { $0 }.filter { $0.target == "/new?sig=2" }
        #expect(asked.first?.range.map { $0 == (0, 0) } == true)
        #expect(source.currentRequest.url.text == origin.url("new?sig=2"))
        #expect(source.refreshed == SourceAddress(origin.url("new?sig=2"), HTTPOptions()))
        #expect(try await read(source, at: 500_000).get().first == Self.film[500_000])
    }

    @Test(
        "with the URL of another resource fails, and the source continues from the old one",
        arguments: ["length", "tag", "unranged", "redirect"]
    )
    func contradicts(how: String) async throws {
        let origin = try await origin { request in
            switch (how, request.target) {
            case ("length", _): request.answer(of: Array(Self.film.prefix(5000)))
            case ("tag", _): request.answer(of: Self.film, tag: "\"b\"")
            case ("redirect", "/other?sig=2"): [.head("302 Found", "Location: /third", "Content-Length: 0")]
            case ("redirect", _): request.answer(of: Self.film, tag: "\"b\"")
            default: [.head("200 OK", "Content-Length: 5000"), .send(Array(Self.film.prefix(5000)))]
            }
        }
        let source = try await open(origin.url("old?sig=1"))
        let error = try #require(try await refresh(source, origin.url("other?sig=2")))
        #expect(error.code == .sourceChanged)
        #expect(error.message.contains("600000 bytes") && error.message.contains(":\(origin.port)/other"))
        #expect(!error.message.contains("sig") && !error.cause.contains("sig"))
        #expect(how != "length" || error.message.contains("5000 bytes"))
        #expect(how != "tag" || error.message.contains("\"a\"") && error.message.contains("\"b\""))
        #expect(source.failure == nil && source.currentRequest.url.text == origin.url("old?sig=1"))
        #expect(source.refreshed == nil)
        #expect(try await read(source, at: 500_000).get().first == Self.film[500_000])
    }

    @Test(
        "that is refused fails as the source would, and the source continues from the old URL",
        arguments: [
            ("403 Forbidden", EngineError.Code.sourceRefused), ("410 Gone", .sourceRefused),
            ("404 Not Found", .sourceNotFound), ("304 Not Modified", .sourceRefused), ("204 Empty", .sourceNotReadable),
        ]
    )
    func isRefused(status: String, code: EngineError.Code) async throws {
        let origin = try await origin { _ in [.head(status, "Content-Length: 0")] }
        let source = try await open(origin.url("old"))
        #expect(try await refresh(source, origin.url("other"))?.code == code)
        #expect(source.failure == nil && source.currentRequest.url.text == origin.url("old"))
    }

    @Test(
        "is accepted if the server gives no answer, or one that may be temporary",
        arguments: [
            "429 Too Many Requests", "503 Busy", "500 Error", "408 Timeout", "close", "reset", "page", "portal",
        ]
    )
    func isAcceptedDuringOutage(how: String) async throws {
        let origin = try await origin { request in
            switch how {
            case "close": [.close]
            case "reset": [.reset]
            case "portal" where request.target == "/other":
                [.head("302 Found", "Location: /login", "Content-Length: 0")]
            case "portal":
                [
                    .head("206 P", "Content-Type: text/html", "Content-Range: bytes 0-0/5", "Content-Length: 1"),
                    .send(Array("l".utf8)),
                ]
            case "page": [.head("200 OK", "Content-Type: text/html", "Content-Length: 5"), .send(Array("login".utf8))]
            default: [.head(how, "Content-Length: 0")]
            }
        }
        let source = try await open(origin.url("old"))
        #expect(try await refresh(source, origin.url("other")) == nil)
        #expect(source.currentRequest.url.text == origin.url("other"))
    }

    @Test("is accepted if the server cannot be reached")
    func isAcceptedWithoutServer() async throws {
        let (origin, gone) = (try await origin(), try await origin())
        let source = try await open(origin.url("old"))
        try await gone.close()
        #expect(try await refresh(source, gone.url("new")) == nil)
        #expect(source.currentRequest.url.text == gone.url("new"))
    }

    @Test("ends at once when its caller ends, and changes nothing")
    func isInterrupted() async throws {
        let flag = InterruptFlag()
        let origin = try await origin { _ in
            flag.raise()
            return [.silence]
        }
        let source = try await open(origin.url("old"))
        #expect(try await refresh(source, origin.url("other"), flag)?.code == .cancelled)
        #expect(source.failure == nil && source.currentRequest.url.text == origin.url("old"))
    }

    @Test("changes nothing if its caller has ended, even if the server is not asked")
    func isInterruptedUnasked() async throws {
        let flag = InterruptFlag()
        flag.raise()
        // A stream without ranges and without a length.
        let origin = try await ScriptedOrigin { _ in
            [.head("200 OK", "Transfer-Encoding: chunked"), .send(Array("5\r\nhello\r\n".utf8)), .silence]
        }
        let source = try await open(origin.url("old"))
        #expect(try await refresh(source, origin.url("other"), flag)?.code == .cancelled)
        #expect(source.currentRequest.url.text == origin.url("old"))
        #expect(try await refresh(source, origin.url("other")) == nil)
        #expect(source.currentRequest.url.text == origin.url("other"))
    }

    @Test("revives a source that was refused, and fails for one that was changed, before anything is requested")
    func revives() async throws {
        let isRefused = Locked(false)
        let tag = Locked("\"a\"")
        let origin = try await ScriptedOrigin { request in
            if isRefused.withLock({ $0 }), request.target == "/old" { return Self.refusal }
            return request.answer(of: Self.film, tag: tag.withLock { $0 })
        }
        let source = try await open(origin.url("old"))
        source.dropMemory()
        isRefused.withLock { $0 = true }
        #expect(await read(source, at: 500_000).failure?.kind == .refused(403))
        #expect(try await refresh(source, origin.url("old"))?.code == .sourceRefused)
        #expect(source.failure?.kind == .refused(403))
        #expect(try await refresh(source, origin.url("new")) == nil)
        #expect(try await read(source, at: 500_000).get().first == Self.film[500_000])
        tag.withLock { $0 = "\"b\"" }
        source.dropMemory()
        #expect(await read(source, at: 300_000).failure?.kind == .changed)
        let count = origin.requests.withLock { $0.count }
        let error = try await refresh(source, origin.url("new"))
        #expect(error?.code == .sourceChanged && error?.message.contains("loaded again") == true)
        #expect(origin.requests.withLock { $0.count } == count)
    }

    @Test("of a list, which may have grown, asks only whether the server refuses it")
    func isList() async throws {
        let origin = try await origin { request in
            request.target == "/grown" ? request.answer(of: Array(Self.film.prefix(9)), tag: "\"b\"") : Self.refusal
        }
        let source = try await open(origin.url("old"))
        #expect(try await refresh(source, origin.url("other"), comparesVersion: false)?.code == .sourceRefused)
        #expect(try await refresh(source, origin.url("grown"), comparesVersion: false) == nil)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
