// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import IPCTestKit
internal import Testing

@testable import WebControl

@Suite("The connection of control over HTTP to the engine", .timeLimit(.minutes(10)))
struct EngineConnectionTests {
    @Test("A failed client is replaced, and its failure does not drop a newer client")
    func dropsTheFailedClient() async throws {
        try await withServer { _, path in
            let link = EngineConnection(socket: path)
            let first = try await link.connected()
            #expect(try await link.connected().sharesConnection(with: first))
            await link.drop(first)
            let second = try await link.connected()
            #expect(!second.sharesConnection(with: first))
            // Another call on the old connection fails only now.
            await link.drop(first)
            #expect(try await link.connected().sharesConnection(with: second))
            await link.close()
            await first.close()
        }
    }
}
