// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineModel
import IPCTestKit
import Testing

@testable import Server
@testable import Wire

@Suite("Limits for all clients together", .timeLimit(.minutes(10)))
struct TotalLimitsTests {
    private static let load = "/engine.v1.Engine/Load"

    /// Sends only the beginning of a message.
    private func beginMessage(_ path: String, byteCount: Int) throws -> RawClient {
        let client = try RawClient(path)
        let start: [UInt8] = [0] + RawClient.bytes(UInt32(byteCount * 2))
        client.send(
            RawClient.preface + RawClient.headers(Self.load, stream: 1)
                + RawClient.frame(0, 0, 1, start + [UInt8](repeating: 0, count: byteCount - start.count))
        )
        return client
    }

    @Test("unfinished requests of all clients hold at most the limit of bytes, and closing connections makes room")
    func heldBytes() async throws {
        var limits = ServerLimits()
        limits.heldRequestBytes = 1000
        try await withServer(limits: limits) { _, path in
            let client = try await EngineClient.connect(socket: path)
            var request = LoadRequest(source: "/" + String(repeating: "x", count: 300))
            request.requestID = "a"
            var held: [RawClient] = []
            for _ in 0..<2 { held.append(try beginMessage(path, byteCount: 450)) }
            var refusal: EngineClientError?
            // The bytes of the other clients may still be in flight.
            while refusal == nil {
                do throws(EngineClientError) { _ = try await client.load(request) } catch { refusal = error }
            }
            #expect(refusal?.status == .resourceExhausted)
            held.removeAll()
            while (try? await client.load(request)) == nil { await Task.yield() }
            await client.close()
        }
    }

    @Test("watches beyond the total limit fail with an error code, for any client, and closing a client makes room")
    func watches() async throws {
        var limits = ServerLimits()
        limits.watches = 2
        try await withServer(limits: limits) { service, path in
            _ = service.addSession()
            let (one, other) = (
                try await EngineClient.connect(socket: path), try await EngineClient.connect(socket: path)
            )
            var first = one.watch().makeAsyncIterator()
            var second = one.watch().makeAsyncIterator()
            _ = try await (first.next(), second.next())
            var refused = other.watch().makeAsyncIterator()
            let error = await #expect(throws: EngineClientError.self) { _ = try await refused.next() }
            #expect(error?.status == .resourceExhausted && error?.message.contains("2 in total") == true)
            await one.close()
            while true {
                var again = other.watch().makeAsyncIterator()
                if (try? await again.next()) != nil { break }
            }
            await other.close()
        }
    }

    @Test("renderers beyond the total limit fail with an error code, and detaching one makes room")
    func renderers() async throws {
        var limits = ServerLimits()
        limits.renderers = 1
        try await withServer(limits: limits) { service, path in
            let session = service.addSession().id
            let (one, other) = (
                try await EngineClient.connect(socket: path), try await EngineClient.connect(socket: path)
            )
            let attached = await one.attach(RendererOffer(session: session, name: "one"))
            var commands = attached.commands.makeAsyncIterator()
            _ = try await commands.next()
            var refused = await other.attach(RendererOffer(session: session, name: "two")).commands.makeAsyncIterator()
            let error = await #expect(throws: EngineClientError.self) { _ = try await refused.next() }
            #expect(error?.status == .resourceExhausted && error?.message.contains("1 in total") == true)
            attached.detach()
            while true {
                var again = await other.attach(RendererOffer(session: session, name: "two")).commands
                    .makeAsyncIterator()
                if (try? await again.next()) != nil { break }
            }
            await one.close()
            await other.close()
        }
    }
}
