// SPDX-License-Identifier: Apache-2.0

internal import Loopback
internal import Testing

@testable import WebControl

@Suite("Requests for control over HTTP")
struct RequestGuardTests {
    private static let host = ("Host", "127.0.0.1:8080")
    private static let json = ("Content-Type", "application/json")

    private static func request(_ method: String, _ path: String?, _ headers: [(String, String)]) -> ControlRequest {
        ControlRequest(method: method, path: path, headers: headers.map { ControlRequest.Header($0.0, $0.1) })
    }

    private static func status(_ method: String, _ path: String?, _ headers: [(String, String)]) -> Int {
        switch RequestGuard(port: 8080).target(of: request(method, path, headers)) {
        case .success: 200
        case .failure(let refusal): refusal.status
        }
    }

    @Test("of programs and of the page itself are admitted")
    func admitted() {
        #expect(Self.status("GET", "", [Self.host]) == 200)
        #expect(Self.status("GET", "app.js", [("Host", "localhost:8080"), ("Sec-Fetch-Site", "same-origin")]) == 200)
        #expect(Self.status("POST", "api/Play", [Self.host, Self.json]) == 200)
        let page = [Self.host, Self.json, ("Origin", "http://127.0.0.1:8080"), ("Sec-Fetch-Site", "same-origin")]
        #expect(Self.status("POST", "api/Play", page) == 200)
    }

    @Test(
        "to other hosts are refused",
        arguments: ["evil.example:8080", "127.0.0.1", "127.0.0.1:80", "127.0.0.1.evil.example:8080", "[::1]:8080", ""]
    )
    func hosts(host: String) {
        #expect(Self.status("GET", "", [("Host", host)]) == 403)
        #expect(Self.status("GET", "", [Self.host, ("Host", host)]) == 403)
    }

    @Test(
        "from other origins are refused",
        arguments: [
            "null", "https://127.0.0.1:8080", "http://localhost:8080", "http://127.0.0.1:8081", "http://evil.example",
        ]
    )
    func origins(origin: String) {
        #expect(Self.status("POST", "api/Play", [Self.host, Self.json, ("Origin", origin)]) == 403)
        #expect(Self.status("GET", "app.js", [Self.host, ("Origin", origin)]) == 403)
    }

    @Test("of other sites are refused, except a link to the page", arguments: ["cross-site", "same-site", "future"])
    func sites(site: String) {
        let fields = [Self.host, ("Sec-Fetch-Site", site)]
        let navigation = [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
        #expect(Self.status("POST", "api/Play", fields + [Self.json]) == 403)
        #expect(Self.status("GET", "app.js", fields) == 403)
        #expect(Self.status("GET", "", fields) == 403)
        #expect(Self.status("GET", "", fields + navigation) == 200)
        #expect(Self.status("GET", "", fields + [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")]) == 403)
        #expect(Self.status("GET", "app.js", fields + navigation) == 403)
    }

    @Test(
        "with a body of another type than application/json are refused",
        arguments: [
            "text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8", "multipart/form-data",
        ]
    )
    func contentTypes(type: String) {
        #expect(Self.status("POST", "api/Play", [Self.host, ("Content-Type", type)]) == 415)
        #expect(Self.status("POST", "api/Play", [Self.host]) == 415)
    }

    @Test("have one method each")
    func methods() {
        #expect(Self.status("GET", "api/Play", [Self.host, Self.json]) == 405)
        #expect(Self.status("OPTIONS", "api/Play", [Self.host]) == 405)
        #expect(Self.status("POST", "app.js", [Self.host, Self.json]) == 405)
        #expect(Self.status("POST", nil, [Self.host, Self.json]) == 405)
    }

    @Test("for the page without its final slash are redirected, after the same checks as for the page")
    func root() {
        let target = RequestGuard(port: 8080).target(of: Self.request("GET", nil, [Self.host]))
        #expect(target == .success(.root))
        #expect(Self.status("GET", nil, [("Host", "evil.example:8080")]) == 403)
        #expect(Self.status("GET", nil, [Self.host, ("Origin", "http://evil.example")]) == 403)
        #expect(Self.status("GET", nil, [Self.host, ("Sec-Fetch-Site", "cross-site")]) == 403)
    }

    @Test("carry a bearer token in one header field")
    func tokens() {
        #expect(RequestGuard.token(of: Self.request("POST", "", [("authorization", "Bearer abc")])) == "abc")
        #expect(RequestGuard.token(of: Self.request("POST", "", [("Authorization", "bearer abc")])) == "abc")
        #expect(RequestGuard.token(of: Self.request("POST", "", [("Authorization", "Basic abc")])) == nil)
        let twice = Self.request("POST", "", [("Authorization", "Bearer a"), ("Authorization", "Bearer b")])
        #expect(RequestGuard.token(of: twice) == nil)
    }
}
