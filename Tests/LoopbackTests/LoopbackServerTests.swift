// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Loopback
import Testing

@Suite("The loopback server", .timeLimit(.minutes(10)))
struct LoopbackServerTests {
    /// Sends one request on its own connection.
    private func answer(to request: String, port: Int) async throws -> String {
        let client = try await RawClient.connect(port: port)
        let line = request.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n", maxReplacements: 1)
        try await client.send(line)
        return await client.readToEnd()
    }

    @Test("GET sends the body with type, tag and cache policy; HEAD sends the same headers without a body")
    func getAndHead() async throws {
        try await withServer { server, provider in
            provider.put(Array("hello".utf8), at: "a.m4s", etag: "t1")
            let get = try await answer(to: get("a.m4s"), port: server.port)
            #expect(get.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(get.hasSuffix("\r\n\r\nhello"))
            for header in [
                "Content-Length: 5", "Content-Type: video/mp4", "ETag: \"t1\"", "Cache-Control: no-store",
                "Accept-Ranges: bytes", "Access-Control-Allow-Origin: *", "Connection: close",
            ] { #expect(get.contains("\r\n\(header)\r\n")) }
            let head = try await answer(to: LoopbackTests.get("a.m4s", method: "HEAD"), port: server.port)
            #expect(head.contains("\r\nContent-Length: 5\r\n"))
            #expect(head.hasSuffix("\r\n\r\n"))
            let lost = try await answer(to: LoopbackTests.get("none", method: "HEAD"), port: server.port)
            #expect(lost.hasPrefix("HTTP/1.1 404"))
            #expect(lost.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("Range requests are answered with 206 or 416, requests with the current tag with 304")
    func conditions() async throws {
        try await withServer { server, provider in
            provider.put(Array("0123456789".utf8), at: "a", etag: "t1")
            let part = try await answer(to: get("a", "Range: bytes=2-4"), port: server.port)
            #expect(part.hasPrefix("HTTP/1.1 206"))
            #expect(part.contains("Content-Range: bytes 2-4/10\r\n"))
            #expect(part.contains("Content-Length: 3\r\n"))
            #expect(part.hasSuffix("\r\n\r\n234"))
            let beyond = try await answer(to: get("a", "Range: bytes=10-"), port: server.port)
            #expect(beyond.hasPrefix("HTTP/1.1 416"))
            #expect(beyond.contains("Content-Range: bytes */10\r\n"))
            let stale = try await answer(to: get("a", "Range: bytes=2-4", "If-Range: \"old\""), port: server.port)
            #expect(stale.hasPrefix("HTTP/1.1 200"))
            let known = try await answer(to: get("a", "If-None-Match: \"t1\""), port: server.port)
            #expect(known.hasPrefix("HTTP/1.1 304"))
            #expect(!known.contains("\r\nContent-Length"))
            #expect(known.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("Resources that are not ready, have failed, are gone or are empty give neither 404 nor an empty 200")
    func otherOutcomes() async throws {
        try await withServer { server, provider in
            provider.put(.notReady(retryAfterSeconds: 0), at: "soon")
            provider.put(.failed(EngineError(.segmentFailed, "segment 3")), at: "broken")
            provider.put(.gone, at: "gone")
            provider.put([], at: "empty")
            let soon = try await answer(to: get("soon"), port: server.port)
            #expect(soon.hasPrefix("HTTP/1.1 503"))
            #expect(soon.contains("\r\nRetry-After: 1\r\n"))
            let broken = try await answer(to: get("broken"), port: server.port)
            #expect(broken.hasPrefix("HTTP/1.1 500"))
            #expect(broken.hasSuffix("segment_failed: segment 3\n"))
            #expect(try await answer(to: get("gone"), port: server.port).hasPrefix("HTTP/1.1 410"))
            #expect(try await answer(to: get("empty"), port: server.port).hasPrefix("HTTP/1.1 500"))
        }
    }

    @Test("Without a valid token the response is 404, without CORS headers")
    func invalidToken() async throws {
        try await withServer { server, _ in
            for method in ["GET", "POST", "OPTIONS"] {
                let lost = try await answer(to: get("a", method: method, token: "guess"), port: server.port)
                #expect(lost.hasPrefix("HTTP/1.1 404"))
                #expect(!lost.contains("Access-Control"))
            }
            let head = try await answer(to: get("a", method: "HEAD", token: "guess"), port: server.port)
            #expect(head.hasPrefix("HTTP/1.1 404") && head.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("A foreign Host is refused before the token is checked")
    func foreignHost() async throws {
        try await withServer { server, provider in
            provider.put([1], at: "a")
            let request = get("a").replacing("127.0.0.1", with: "evil.example")
            let refused = try await answer(to: request, port: server.port)
            #expect(refused.hasPrefix("HTTP/1.1 403"))
            #expect(!refused.contains("Access-Control"))
        }
    }

    @Test("A server of all addresses has URLs with one that can be opened, and serves that host")
    func allAddresses() async throws {
        var configuration = LoopbackConfiguration()
        configuration.address = "0.0.0.0"
        try await withServer(configuration) { server, provider in
            provider.put([1], at: "a")
            let base = server.baseURL
            #expect(server.address == "0.0.0.0" && !base.contains("0.0.0.0"))
            let request = get("a").replacing("Host: 127.0.0.1", with: "Host: \(base.dropFirst("http://".count))")
            let served = try await answer(to: request, port: server.port)
            #expect(served.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("A request has at most one Host header, and an absolute target overrides it")
    func oneHost() async throws {
        try await withServer { server, provider in
            provider.put(Array("x".utf8), at: "a")
            let two = try await answer(to: get("a", "Host: localhost"), port: server.port)
            #expect(two.hasPrefix("HTTP/1.1 400"))
            for (address, status) in [("localhost", "200"), ("evil.example", "403")] {
                let absolute = get("a").replacing("GET ", with: "GET http://\(address)")
                #expect(try await answer(to: absolute, port: server.port).hasPrefix("HTTP/1.1 \(status)"))
            }
        }
    }

    @Test("Range is ignored for HEAD, and Content-Length: 0 is ignored for every request")
    func meaningless() async throws {
        try await withServer { server, provider in
            provider.put(Array("hello".utf8), at: "a")
            let head = try await answer(to: get("a", "Range: bytes=1-2", method: "HEAD"), port: server.port)
            #expect(head.hasPrefix("HTTP/1.1 200") && head.contains("\r\nContent-Length: 5\r\n"))
            let empty = try await answer(to: get("a", "Content-Length: 0"), port: server.port)
            #expect(empty.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test("Preflights with a valid token are answered, including private network access")
    func preflight() async throws {
        try await withServer { server, _ in
            let request = get("a", "Access-Control-Request-Private-Network: true", method: "OPTIONS")
            let preflight = try await answer(to: request, port: server.port)
            #expect(preflight.hasPrefix("HTTP/1.1 204"))
            #expect(preflight.contains("Access-Control-Allow-Private-Network: true\r\n"))
            #expect(preflight.contains("Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n"))
        }
    }

    @Test("Other methods get 405 with Allow, requests with a body get 413")
    func otherMethods() async throws {
        try await withServer { server, _ in
            let delete = try await answer(to: get("a", method: "DELETE"), port: server.port)
            #expect(delete.hasPrefix("HTTP/1.1 405"))
            #expect(delete.contains("\r\nAllow: GET, HEAD, OPTIONS\r\n"))
            let body = try await answer(to: get("a", "Content-Length: 5", method: "POST"), port: server.port)
            #expect(body.hasPrefix("HTTP/1.1 413"))
            let chunked = try await answer(to: get("a", "Transfer-Encoding: chunked"), port: server.port)
            #expect(chunked.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test("200 pipelined requests are answered in order on one connection")
    func pipelining() async throws {
        try await withServer { server, provider in
            for index in 0..<200 { provider.put(Array("<\(index)>".utf8), at: "\(index)") }
            let client = try await RawClient.connect(port: server.port)
            // Unknown tokens are answered without a provider task, which takes another code path.
            let requests = (0..<200).map { get("\($0)") + get("x", token: "none") }
            try await client.send(requests.joined())
            let all = await client.read(until: "no such resource", count: 200)
            let bodies = all.split(separator: "\r\n").compactMap { line in
                line.hasPrefix("<") ? Int(line.dropFirst().prefix { $0 != ">" }) : nil
            }
            #expect(bodies == Array(0..<200))
            try await client.close()
        }
    }

    @Test(
        "Oversized heads and lines, and invalid HTTP, are refused and the connection is closed",
        arguments: [
            ("GET /a HTTP/1.1\r\nX: " + String(repeating: "a", count: 9000), "431"),
            ("GET /" + String(repeating: "a", count: 5000) + " HTTP/1.1\r\n\r\n", "414"),
            ("hello\r\n\r\n", "400"),
            ("FOO / HTTP/1.1\r\nHost: a\r\n\r\n", "501"),
            ("get / HTTP/1.0\r\n\r\n", "501"),
            ("G@T / HTTP/1.1\r\n\r\n", "400"),
            ("FOO / http/1.1\r\n\r\n", "400"),
            ("GET / HTTP/2.0\r\n\r\n", "505"),
            ("GET / HTTP/3\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nA\u{1}: b\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\n\r\n", "400"),
        ]
    )
    func malformed(request: String, status: String) async throws {
        try await withServer { server, _ in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(request)
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 \(status)"))
        }
    }

    @Test("A held request is cancelled when its client disconnects")
    func disconnect() async throws {
        try await withServer { server, provider in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(get("held/1"))
            #expect(await provider.nextHeld() == "held/1")
            try await client.close()
            #expect(await provider.nextCancelled() == "held/1")
        }
    }

    @Test("Stopping answers held requests and closes idle connections")
    func stop() async throws {
        try await withServer { server, provider in
            let held = try await RawClient.connect(port: server.port)
            let idle = try await RawClient.connect(port: server.port)
            try await held.send(get("held/1"))
            #expect(await provider.nextHeld() == "held/1")
            await server.stop()
            #expect(await held.readToEnd().hasPrefix("HTTP/1.1 503"))
            #expect(await idle.readToEnd().isEmpty)
            #expect(await provider.nextCancelled() == "held/1")
            await #expect(throws: (any Error).self) { try await RawClient.connect(port: server.port) }
        }
    }

    @Test("A held request is answered after the hold limit")
    func holdLimit() async throws {
        var configuration = LoopbackConfiguration()
        configuration.holdLimit = .milliseconds(40)
        try await withServer(configuration) { server, provider in
            let client = try await RawClient.connect(port: server.port)
            try await client.send(get("held/1"))
            let all = await client.read(until: "\n", count: 5)
            #expect(all.hasPrefix("HTTP/1.1 503"))
            #expect(await provider.nextCancelled() == "held/1")
            try await client.close()
        }
    }

    @Test("A slow head is answered with 408, an idle connection is closed")
    func slowHead() async throws {
        var configuration = LoopbackConfiguration()
        configuration.headTimeout = .seconds(1)
        configuration.idleTimeout = .seconds(2)
        try await withServer(configuration) { server, _ in
            let idle = try await RawClient.connect(port: server.port)
            #expect(try await answerToHalfAHead(server.port).hasPrefix("HTTP/1.1 408"))
            #expect(await idle.readToEnd().isEmpty)
        }
    }

    /// Tries again if the server times out between connecting and sending, which can happen on a busy machine.
    private func answerToHalfAHead(_ port: Int) async throws -> String {
        for _ in 0..<50 {
            let client = try await RawClient.connect(port: port)
            do { try await client.send("GET / HT") } catch { continue }
            let answer = await client.readToEnd()
            if !answer.isEmpty { return answer }
        }
        return ""
    }

    @Test("A client that stops reading is disconnected eventually, and others are served meanwhile")
    func stalledClient() async throws {
        var configuration = LoopbackConfiguration()
        configuration.stallTimeout = .seconds(1)
        try await withServer(configuration) { server, provider in
            provider.put([UInt8](repeating: 7, count: 40_000_000), at: "large")
            provider.put(Array("small".utf8), at: "small")
            let stalled = try await RawClient.connect(port: server.port, reads: false)
            try await stalled.send(get("large"))
            #expect(try await answer(to: get("small"), port: server.port).hasSuffix("\r\n\r\nsmall"))
            while server.counters.timeouts == 0 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(server.counters.bodyBytes < 20_000_000)
            try await stalled.close()
        }
    }

    @Test("Clients that read nothing are disconnected when the bodies of their responses fill the memory")
    func heldBodies() async throws {
        var configuration = LoopbackConfiguration()
        configuration.heldLimit = 50_000_000
        configuration.heldPatience = .milliseconds(100)
        try await withServer(configuration) { server, provider in
            let paused = try await RawClient.connect(port: server.port, reads: false)
            for name in ["a", "b"] { provider.put([UInt8](repeating: 7, count: 40_000_000), at: name) }
            try await paused.send(get("a"))
            while server.counters.bodyBytes == 0 { try await Task.sleep(for: .milliseconds(20)) }
            let second = try await RawClient.connect(port: server.port, reads: false)
            try await second.send(get("b"))
            while server.counters.timeouts == 0 { try await Task.sleep(for: .milliseconds(20)) }
            // The other response alone is within the limit.
            while server.counters.openConnections > 1 { try await Task.sleep(for: .milliseconds(20)) }
            #expect(server.counters.timeouts == 1)
            try await paused.close()
            try await second.close()
        }
    }

    @Test("Beyond the connection limit, the longest idle connection is closed")
    func connectionLimit() async throws {
        var configuration = LoopbackConfiguration()
        configuration.connectionLimit = 2
        try await withServer(configuration) { server, provider in
            provider.put(Array("x".utf8), at: "a")
            let first = try await RawClient.connect(port: server.port)
            try await first.send(get("a"))
            _ = await first.read(until: "\r\n\r\nx")
            let second = try await RawClient.connect(port: server.port)
            try await second.send(get("held/1"))
            #expect(await provider.nextHeld() == "held/1")
            #expect(try await answer(to: get("a"), port: server.port).hasSuffix("\r\n\r\nx"))
            _ = await first.readToEnd()
            #expect(server.counters.refusedConnections == 1)
            try await second.close()
        }
    }

    @Test("A large body of many regions arrives complete")
    func largeBody() async throws {
        try await withServer { server, provider in
            let regions = (0..<500).map { ArrayRegion([UInt8](repeating: UInt8(97 + $0 % 26), count: 3001)) }
            let content = LoopbackContent(
                body: ByteBody(regions),
                contentType: .videoMP4,
                etag: nil,
                cachePolicy: .revalidate
            )
            provider.put(.found(content), at: "large")
            let all = try await answer(to: get("large"), port: server.port)
            let expected = regions.map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
            #expect(all.hasSuffix("\r\n\r\n" + expected))
        }
    }
}
