// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Testing

@testable import Transfers

@Suite("Whole resources on servers", .timeLimit(.minutes(10)))
struct WholeFetchTests {
    private func fetch(
        _ url: String,
        _ fields: [HTTPHeader] = [],
        meantFor source: String? = nil,
        ownPorts: Set<Int> = []
    ) async throws -> Result<[UInt8], EngineError> {
        let (url, source) = (try ResourceURL(url), try source.map { try ResourceURL($0) })
        return await Blocking().run {
            let sources = HTTPSources(.on)
            sources.exclude(ownPorts: ownPorts)
            var http = HTTPOptions()
            http.headers = fields
            if source?.credentials == nil { http.connection.credentials = .basic(user: "me", password: "pw") }
            do throws(EngineError) {
                let interrupt = InterruptFlag()
                return .success(
                    try sources.fetchWhole(url, http, meantFor: source, byteLimit: 1 << 20, interrupt: interrupt)
                )
            } catch {
                return .failure(error)
            }
        }
    }

    private static func page(_ text: String) -> [ScriptedOrigin.Step] {
        [.head("200 OK", "Content-Length: \(text.utf8.count)"), .send(Array(text.utf8))]
    }

    private static func redirect(to url: String) -> [ScriptedOrigin.Step] {
        [.head("302 Found", "Location: \(url)", "Content-Length: 0")]
    }

    @Test("Redirects are followed, and only the first origin receives the caller's header fields")
    func follows() async throws {
        let other = try await ScriptedOrigin { _ in Self.page("cues") }
        let target = other.url("film.srt")
        let origin = try await ScriptedOrigin {
            $0.target == "/a" ? Self.redirect(to: "/b") : Self.redirect(to: target)
        }
        let result = try await fetch(origin.url("a"), [HTTPHeader(name: "X-Own", value: "1")])
        #expect(try result.get() == Array("cues".utf8))
        #expect(origin.requests.withLock { requests in requests.map { $0.fields["x-own"] } } == ["1", "1"])
        #expect(other.requests.withLock { requests in requests.map { $0.fields["x-own"] } } == [nil])
        try await origin.close()
        try await other.close()
    }

    @Test(
        "The login of a source is sent to its server and no other, unless the URL names another login",
        arguments: [
            ("http://@/film.mp4", "http://@/film.srt", "bWU6cHc="),
            ("http://you:key@@/film.mp4", "http://@/a/b.srt", "eW91OmtleQ=="),
            ("http://@/film.mp4", "http://you:key@@/film.srt", "eW91OmtleQ=="),
            ("https://@/film.mp4", "http://@/film.srt", nil), ("http://127.0.0.1:9/film.mp4", "http://@/film.srt", nil),
            (nil, "http://@/film.srt", nil),
        ] as [(String?, String, String?)]
    )
    func login(source: String?, url: String, expected: String?) async throws {
        let origin = try await ScriptedOrigin { _ in Self.page("cues") }
        func text(_ pattern: String) -> String {
            pattern.replacing("@/", with: "127.0.0.1:\(origin.port)/")
        }
        let result = try await fetch(text(url), meantFor: source.map { text($0) })
        #expect(try result.get() == Array("cues".utf8))
        let fields = origin.requests.withLock { requests in requests.map { $0.fields["authorization"] } }
        #expect(fields == [expected.map { "Basic \($0)" }])
        try await origin.close()
    }

    @Test("Neither a URL nor a redirect leads to the engine's own port", arguments: ["127.0.0.1", "localhost"])
    func refusesOwnPort(host: String) async throws {
        let own = try await ScriptedOrigin { _ in Self.page("secret") }
        let target = "http://\(host):\(own.port)/metrics"
        let origin = try await ScriptedOrigin { _ in Self.redirect(to: target) }
        for url in [target, origin.url("film.srt")] {
            let result = try await fetch(url, ownPorts: [own.port])
            #expect(throws: EngineError.self) { try result.get() }
            if case .failure(let error) = result {
                #expect(error.code == .sourceAccessDenied)
                #expect(error.message.contains("that of this engine"))
            }
        }
        #expect(own.requests.withLock(\.isEmpty))
        try await origin.close()
        try await own.close()
    }

    @Test("A redirect to a forbidden address is refused without connecting")
    func refusesForbiddenAddresses() async throws {
        let origin = try await ScriptedOrigin { _ in Self.redirect(to: "http://[::ffff:0.0.0.0]:1/film.srt") }
        guard case .failure(let error) = try await fetch(origin.url("film.srt")) else {
            Issue.record("the redirect was followed")
            return
        }
        #expect(error.code == .sourceAccessDenied)
        #expect(error.message.contains("never connects"))
        try await origin.close()
    }

    @Test(
        "Failures are typed, and their messages have no query",
        arguments: [
            ("404 Not Found", EngineError.Code.sourceNotFound), ("403 Forbidden", .sourceAccessDenied),
            ("503 Busy", .sourceReadFailed), ("418 Teapot", .sourceNotReadable), ("200 OK", .sourceEmpty),
        ]
    )
    func typesFailures(status: String, code: EngineError.Code) async throws {
        let origin = try await ScriptedOrigin { _ in [.head(status, "Content-Length: 0")] }
        guard case .failure(let error) = try await fetch(origin.url("film.srt?key=secret")) else {
            Issue.record("an empty body was returned")
            return
        }
        #expect(error.code == code)
        #expect(error.message.contains("/film.srt"))
        #expect(!"\(error)".contains("secret"))
        try await origin.close()
    }
}
