// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineModel
import EngineRuntime
import IPCTestKit
import Server
import Testing

@Suite("Streams that a client ends", .timeLimit(.minutes(10)))
struct StreamCallTests {
    @Test("a stream that its client has ended counts as running until its work has ended")
    func counted() async throws {
        var limits = ServerLimits()
        limits.runningTasksPerConnection = 1
        try await withServer(limits: limits) { service, path in
            let client = try await EngineClient.connect(socket: path)
            var choice = CueRequest(.session(nil))
            choice.choice = .id(2)
            let request = choice
            service.world.withLock { $0.areCuesHeld = true }
            let stream = Task { try await client.cues(request) { _ in } }
            while service.world.withLock({ $0.cueScripts.first?.isWaiting }) != true { await Task.yield() }
            stream.cancel()
            let script = try #require(service.world.withLock { $0.cueScripts.first })
            while !script.isCancelled { await Task.yield() }
            service.world.withLock { $0.areCuesHeld = false }
            #expect(await status(client, request) == .resourceExhausted)
            script.release()
            while await status(client, request) == .resourceExhausted { await Task.yield() }
            #expect(await status(client, request) == nil)
            await client.close()
        }
    }

    private func status(_ client: EngineClient, _ request: CueRequest) async -> EngineClientError.Status? {
        do throws(EngineClientError) {
            try await client.cues(request) { _ in }
            return nil
        } catch {
            return error.status
        }
    }
}
