// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Testing

@testable import Transfers

@Suite("The folder of a source on a server", .timeLimit(.minutes(10)))
struct SourceFolderTests {
    private static let film = [UInt8](repeating: 7, count: 4096)
    private static let listing = """
        <multistatus xmlns="DAV:"><response><href>/f/film.srt</href></response><response><href>/f/film.mkv</href></response>
        </multistatus>
        """

    private static func answer(_ status: String, _ text: String) -> [ScriptedOrigin.Step] {
        [.head(status, "Content-Length: \(text.utf8.count)"), .send(Array(text.utf8))]
    }

    /// Opens the film at `/f/film.mkv` of a server, and lists its folder.
    private func names(
        of origin: ScriptedOrigin,
        interrupt: InterruptFlag = InterruptFlag()
    ) async throws -> Result<[[UInt8]]?, EngineError> {
        let url = try ResourceURL("http://me:word@127.0.0.1:\(origin.port)/f/film.mkv?key=1")
        let field = try HTTPHeader(name: "X-Own", value: "1")
        return await Blocking().run {
            var http = HTTPOptions()
            http.headers = [field]
            let sources = HTTPSources(.on)
            do throws(EngineError) {
                let source = try sources.open(url, http, interrupt: InterruptFlag())
                guard let folder = SourceFolder(of: source, at: url, isWebDAV: true, http, by: sources) else {
                    return .success(nil)
                }
                return .success(try folder.names(interrupt: interrupt))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test("A WebDAV server gets one PROPFIND, with the query, the header fields and the credentials of the source")
    func lists() async throws {
        let origin = try await ScriptedOrigin {
            $0.method == "GET" ? $0.answer(of: Self.film) : Self.answer("207 Multi-Status", Self.listing)
        }
        #expect(try await names(of: origin).get() == ["film.srt", "film.mkv"].map { Array($0.utf8) })
        let asked = origin.requests.withLock { requests in requests.filter { $0.method == "PROPFIND" } }
        #expect(asked.count == 1)
        let request = try #require(asked.first)
        #expect(request.target == "/f/?key=1")
        #expect(request.fields["depth"] == "1" && request.fields["content-type"]?.hasPrefix("application/xml") == true)
        #expect(request.fields["x-own"] == "1" && request.fields["authorization"] == "Basic bWU6d29yZA==")
        #expect(request.body.contains("<propfind xmlns=\"DAV:\">"))
        try await origin.close()
    }

    @Test(
        "An answer that is not a listing causes an error that names the answer",
        arguments: [
            ("200 OK", "<html/>", EngineError.Code.sourceNotReadable, "status 200"),
            ("405 Method Not Allowed", "", .sourceNotReadable, "status 405"),
            ("401 Unauthorized", "", .sourceAccessDenied, "status 401"),
            ("301 Moved", "", .sourceReadFailed, "status 301"), ("503 Busy", "", .sourceReadFailed, "status 503"),
            ("207 Multi-Status", "<html/>", .sourceNotReadable, "PROPFIND http://127.0.0.1"),
            ("207 Multi-Status", "<multistatus", .sourceNotReadable, "well-formed"),
        ]
    )
    func fails(status: String, body: String, code: EngineError.Code, text: String) async throws {
        let origin = try await ScriptedOrigin {
            $0.method == "GET" ? $0.answer(of: Self.film) : Self.answer(status, body)
        }
        guard case .failure(let error) = try await names(of: origin) else {
            Issue.record("a folder was listed")
            return
        }
        #expect(error.code == code)
        #expect("\(error)".contains(text) && !"\(error)".contains("word") && !"\(error)".contains("key=1"))
        try await origin.close()
    }

    @Test("An interrupt ends the wait for a server that does not answer")
    func interrupts() async throws {
        let flag = InterruptFlag()
        let origin = try await ScriptedOrigin { request in
            if request.method == "GET" { return request.answer(of: Self.film) }
            flag.raise()
            return [.silence]
        }
        guard case .failure(let error) = try await names(of: origin, interrupt: flag) else {
            Issue.record("a folder was listed")
            return
        }
        #expect(error.code == .cancelled)
        try await origin.close()
    }

    @Test("A file beside the source is fetched with the credentials of the source")
    func fetches() async throws {
        let origin = try await ScriptedOrigin {
            $0.target == "/f/a%20b.srt" ? Self.answer("200 OK", "cues") : $0.answer(of: Self.film)
        }
        let url = try ResourceURL("http://me:word@127.0.0.1:\(origin.port)/f/film.mkv")
        let bytes = await Blocking().run { () -> Result<[UInt8], EngineError> in
            let sources = HTTPSources(.on)
            do throws(EngineError) {
                let source = try sources.open(url, HTTPOptions(), interrupt: InterruptFlag())
                guard let folder = SourceFolder(of: source, at: url, isWebDAV: true, HTTPOptions(), by: sources) else {
                    return .success([])
                }
                let name = Array("a b.srt".utf8)
                return .success(try folder.bytes(of: name, byteLimit: 1 << 20, interrupt: InterruptFlag()))
            } catch {
                return .failure(error)
            }
        }
        #expect(try bytes.get() == Array("cues".utf8))
        let sent = origin.requests.withLock { requests in requests.last?.fields["authorization"] }
        #expect(sent == "Basic bWU6d29yZA==")
        try await origin.close()
    }
}
