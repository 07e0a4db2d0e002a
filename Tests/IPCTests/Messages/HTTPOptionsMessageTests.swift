// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Wire

@Suite("Options for sources on servers")
struct HTTPOptionsMessageTests {
    private static func options() throws -> HTTPOptions {
        var options = HTTPOptions()
        options.headers = [try HTTPHeader(name: "X-Key", value: "2")]
        options.connection.credentials = .basic(user: "who", password: "a:b")
        options.connection.userAgent = "player/1"
        options.connection.proxy = .url("socks5h://127.0.0.1:1080")
        options.connection.authorities = "/etc/own.pem"
        options.connection.clientCertificate = HTTPClientCertificate(certificate: "/c", key: "/k", passphrase: "p")
        options.connection.connectTimeout = .milliseconds(2500)
        options.connection.stallTimeout = .seconds(7)
        return options
    }

    @Test("are carried by requests to load, to probe, and for stills, cues and attachments of a source")
    func requests() throws {
        let url = "https://example.org/film.mkv"
        let options = try Self.options()
        var load = LoadRequest(source: url)
        load.http = options
        #expect(try LoadRequest(wire: body(load.framed())) == load)
        let probe = ProbeRequest(source: url, http: options, options: LoadOptions())
        #expect(try ProbeRequest(wire: body(probe.framed())) == probe)
        let still = StillRequest(.snapshot, of: .source(url, options), at: .zero, style: StillStyle())
        #expect(try StillRequest(snapshot: body(still.framed())) == still)
        var cues = CueRequest(.source(url))
        cues.http = options
        #expect(try CueRequest(wire: body(cues.framed())) == cues)
        var attachment = AttachmentRequest(.source(url), stream: 3)
        attachment.http = options
        #expect(try AttachmentRequest(wire: body(attachment.framed())) == attachment)
    }

    @Test("survive the wire in a refresh, which carries only what it replaces")
    func refreshes() throws {
        let options = try Self.options()
        var whole = SourceRefresh()
        (whole.url, whole.headers, whole.connection) = (
            "https://example.org/?sig=2", options.headers, options.connection
        )
        var token = SourceRefresh()
        token.connection = HTTPConnectionOptions()
        token.connection?.credentials = .bearer("t")
        var nothing = SourceRefresh()
        nothing.connection = HTTPConnectionOptions()
        for refresh in [SourceRefresh(), whole, token, nothing] {
            let request = CommandRequest(session: nil, command: .source(.refresh(refresh)))
            #expect(try CommandRequest(refreshSource: body(request.framed())) == request)
        }
    }

    @Test(
        "that cannot be sent are rejected with the field's name",
        arguments: [
            ("basic.user", HTTPConnectionOptions.with { $0.credentials = .basic(user: "a:b", password: "") }),
            ("bearer_token", .with { $0.credentials = .bearer("a\r\nX: y") }),
            ("user_agent", .with { $0.userAgent = "a\nb" }),
            ("ca_file", .with { $0.authorities = "own.pem" }),
            ("ca_file", .with { $0.authorities = "file://other/own.pem" }),
            ("ca_file", .with { $0.authorities = "file:///own%00.pem" }),
            ("client_key", .with { $0.clientCertificate = HTTPClientCertificate(certificate: "/c", key: "k") }),
            ("connect_timeout_us", .with { $0.connectTimeout = .seconds(3601) }),
            ("stall_timeout_us", .with { $0.stallTimeout = .microseconds(-5) }),
        ]
    )
    func refused(field: String, connection: HTTPConnectionOptions) throws {
        var load = LoadRequest(source: "https://example.org/")
        load.http.connection = connection
        let error = #expect(throws: EngineError.self) { try LoadRequest(wire: body(load.framed())) }
        #expect(error?.field == "http_connection.\(field)")
    }

    @Test("name files by paths of any bytes; a path that is not UTF-8 is a file: URL")
    func files() throws {
        var load = LoadRequest(source: "https://example.org/")
        load.http.connection.authorities = "file:///a%E9.pem"
        load.http.connection.clientCertificate = HTTPClientCertificate(certificate: "file:///b%FF", key: "/ä")
        #expect(try LoadRequest(wire: body(load.framed())) == load)
    }

    @Test(
        "include a proxy: `none`, `environment` or a URL with a known scheme",
        arguments: [
            ("none", HTTPProxy.none), ("environment", .environment), ("http://a:1", .url("http://a:1")),
            ("SOCKS5H://a", .url("SOCKS5H://a")), ("ftp://a", nil), ("http://", nil), ("a:8080", nil), ("", nil),
        ]
    )
    func proxies(text: String, proxy: HTTPProxy?) {
        #expect(HTTPProxy(text) == proxy)
    }

    private func body(_ framed: [UInt8]) -> [UInt8] { Array(framed.dropFirst(5)) }
}

extension HTTPConnectionOptions {
    fileprivate static func with(_ change: (inout HTTPConnectionOptions) -> Void) -> HTTPConnectionOptions {
        var options = HTTPConnectionOptions()
        change(&options)
        return options
    }
}
