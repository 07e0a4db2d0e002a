// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineRuntime
import Foundation
import IPCTestKit
import Testing

@testable import Server
@testable import Wire

@Suite("Hostile and broken clients", .serialized, .timeLimit(.minutes(10)))
struct HostileClientTests {
    private static let enhanceYourCalm: UInt32 = 11
    private static let list = "/engine.v1.Engine/ListSessions"

    /// Expects that the server still serves other clients.
    private func expectService(_ path: String) async throws {
        let client = try await EngineClient.connect(socket: path)
        #expect(try await client.isServing())
        await client.close()
    }

    @Test("a connection that sends garbage is closed, and others are served")
    func garbage() async throws {
        try await withServer { _, path in
            for bytes in [
                Array("GET / HTTP/1.1\r\n\r\n".utf8), [UInt8](repeating: 0xFF, count: 4096),
                RawClient.preface + [UInt8](repeating: 0xAA, count: 4096),
                RawClient.preface + RawClient.frame(0, 0, 0, [1]),
                RawClient.preface + RawClient.frame(4, 0, 0, [1, 2, 3]),
                RawClient.preface + RawClient.frame(1, 4, 1, [UInt8](repeating: 0xFF, count: 64)),
            ] {
                let client = try RawClient(path)
                client.send(bytes)
                _ = await client.readToEnd()
                #expect(client.isClosed)
            }
            try await expectService(path)
        }
    }

    @Test("a connection that breaks anywhere in a call does not keep the server from serving others")
    func breaksOff() async throws {
        try await withServer { _, path in
            let whole =
                RawClient.preface + RawClient.headers(Self.list, stream: 1)
                + RawClient.frame(0, 1, 1, [0, 0, 0, 0, 0])
            for count in 0...whole.count { try RawClient(path).send(Array(whole.prefix(count))) }
            try await expectService(path)
        }
    }

    @Test("ten thousand resets end with GOAWAY ENHANCE_YOUR_CALM")
    func rapidReset() async throws {
        try await withServer { service, path in
            let client = try RawClient(path)
            client.send(RawClient.preface)
            for number in 0..<10_000 as Range<UInt32> {
                let stream = number * 2 + 1
                let call =
                    RawClient.headers("/engine.v1.Engine/Watch", stream: stream)
                    + RawClient.frame(0, 1, stream, [0, 0, 0, 0, 0])
                    + RawClient.frame(3, 0, stream, RawClient.bytes(8))
                guard client.send(call) else { break }
            }
            #expect(RawClient.goAwayCodes(in: await client.readToEnd()) == [Self.enhanceYourCalm])
            try await expectService(path)
        }
    }

    @Test("a flood of pings ends with GOAWAY ENHANCE_YOUR_CALM")
    func pings() async throws {
        try await withServer { _, path in
            let client = try RawClient(path)
            client.send(RawClient.preface)
            let ping = RawClient.frame(6, 0, 0, [UInt8](repeating: 0, count: 8))
            for _ in 0..<200 where client.send(Array(repeating: ping, count: 100).flatMap { $0 }) {}
            #expect(RawClient.goAwayCodes(in: await client.readToEnd()).contains(Self.enhanceYourCalm))
            try await expectService(path)
        }
    }

    @Test("a connection beyond the limit gets GOAWAY, and closing others makes room")
    func connectionLimit() async throws {
        var limits = ServerLimits()
        limits.connections = 3
        try await withServer(limits: limits) { _, path in
            var held: [RawClient] = []
            for _ in 0..<3 {
                let client = try RawClient(path)
                client.send(RawClient.preface)
                held.append(client)
            }
            let refused = try RawClient(path)
            #expect(RawClient.goAwayCodes(in: await refused.readToEnd()) == [Self.enhanceYourCalm])
            held.removeAll()
            while true {
                let client = try await EngineClient.connect(socket: path, patience: nil)
                if (try? await client.isServing()) == true { break }
                await client.close()
            }
        }
    }

    @Test("a silent connection is closed after its timeout, and others are served")
    func silent() async throws {
        var limits = ServerLimits()
        limits.preface = .milliseconds(50)
        try await withServer(limits: limits) { _, path in
            let client = try RawClient(path)
            _ = await client.readToEnd()
            #expect(client.isClosed)
            try await expectService(path)
        }
    }

    @Test(
        "an invalid or superfluous message ends its call, and other clients are served",
        arguments: [
            // time_interval_us: -5
            ("/engine.v1.Engine/Watch", [0, 0, 0, 0, 11, 0x18, 0xFB] + [UInt8](repeating: 0xFF, count: 8) + [0x01]),
            // fields: [99]
            ("/engine.v1.Engine/Watch", [0, 0, 0, 0, 2, 0x20, 99]),
            ("/engine.v1.Engine/Watch", [UInt8](repeating: 0, count: 10)),
            (list, [UInt8](repeating: 0, count: 10)),
            ("/grpc.health.v1.Health/Watch", [UInt8](repeating: 0, count: 10)),
            // A piece of a segment that is not a SegmentChunk.
            ("/engine.v1.Engine/InspectSegment", [0, 0, 0, 0, 1, 0xFF]),
        ] as [(String, [UInt8])]
    )
    func endingMessage(method: String, body: [UInt8]) async throws {
        try await withServer { _, path in
            for flags in [0, 1] as [UInt8] {
                let client = try RawClient(path)
                client.send(
                    RawClient.preface + RawClient.headers(method, stream: 1) + RawClient.frame(0, flags, 1, body)
                )
                // The call ends with trailers, and without a message.
                let kinds = await client.readKinds(ofStream: 1)
                #expect(kinds.contains(1) && !kinds.contains(0), "\(kinds)")
                try await expectService(path)
            }
        }
    }

    @Test("headers above the limit, odd methods and odd content types do not keep the server from serving others")
    func headers() async throws {
        try await withServer { _, path in
            let filler = (0..<200).map { ("x-filler-\($0)", String(repeating: "y", count: 60)) }
            let client = try RawClient(path)
            client.send(RawClient.preface + RawClient.headers(Self.list, stream: 1, more: filler))
            client.send(RawClient.headers(Self.list, stream: 3, more: [(":method", "GET")]))
            client.send(RawClient.headers(Self.list, stream: 5, more: [("content-type", "text/plain")]))
            client.send(RawClient.headers(Self.list, stream: 7, more: [("grpc-timeout", "soon")]))
            client.send(RawClient.headers(Self.list, stream: 9, more: [("grpc-encoding", "gzip")]))
            try await expectService(path)
        }
    }

    @Test("changes do not queue for a client that stops reading a watch, and no other client waits for it")
    func stalledWatcher() async throws {
        try await withServer { service, path in
            let state = service.addSession()
            let stalled = try RawClient(path, patience: 1)
            let widest = RawClient.bytes(1 << 30)
            stalled.send(
                RawClient.preface + RawClient.frame(8, 0, 0, widest)
                    + RawClient.headers("/engine.v1.Engine/Watch", stream: 1) + RawClient.frame(8, 0, 1, widest)
                    + RawClient.frame(0, 1, 1, [0, 0, 0, 0, 0])
            )
            let client = try await EngineClient.connect(socket: path)
            var events = client.watch(WatchOptions(timeInterval: nil)).makeAsyncIterator()
            _ = try await events.next()
            // Twenty megabytes if each change were queued.
            let rounds = 5000
            for round in 1...rounds {
                service.change(state.id) { $0.source = "/film-\(round)-" + String(repeating: "x", count: 4096) }
            }
            var revision: UInt64 = 0
            while revision < UInt64(rounds) + 1 {
                guard case .delta(let delta)? = try await events.next() else { continue }
                #expect(delta.state.revision > revision)
                revision = delta.state.revision
            }
            await client.close()
            #expect(await stalled.readToEnd().count < 2 << 20)
        }
    }

    @Test("a client is served while two thousand idle connections are open")
    func idle() async throws {
        var wanted = rlimit(rlim_cur: 8192, rlim_max: 8192)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &wanted)
        try await withServer { _, path in
            var idle: [RawClient] = []
            for _ in 0..<2000 {
                let client = try RawClient(path)
                client.send(RawClient.preface)
                idle.append(client)
            }
            try await expectService(path)
        }
    }
}
