// SPDX-License-Identifier: Apache-2.0

import EngineClient
import EngineModel
import EngineRuntime
import IPCTestKit
import Testing

@Suite("Streams of cues over a Unix socket", .timeLimit(.minutes(10)))
struct CueStreamTests {
    @Test("Every piece arrives, in order, and the stream ends", arguments: [0, 1, 1000])
    func pieces(count: Int) async throws {
        try await withClient { _, client in
            var request = CueRequest(.session(nil))
            request.choice = .id(count)
            var cues: [Cue] = []
            var progress = 0.0
            try await client.cues(request) { batch in
                cues += batch.cues
                progress = batch.progress
            }
            #expect(cues == (0..<count).map(CueScript.cue))
            #expect(progress == (count == 0 ? 0 : 1))
        }
    }

    @Test("A failure ends the stream with its error code")
    func failure() async throws {
        try await withClient { _, client in
            let error = await #expect(throws: EngineClientError.self) {
                try await client.cues(CueRequest(.session(nil))) { _ in }
            }
            #expect(error?.code == .trackNotFound)
        }
    }

    @Test("Reading stops when the client's task is cancelled")
    func cancelling() async throws {
        try await withClient { service, client in
            var request = CueRequest(.session(nil))
            request.choice = .id(.max >> 32)
            let wanted = request
            let reading = Task { try? await client.cues(wanted) { _ in } }
            while service.world.withLock({ $0.cueScripts.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
            reading.cancel()
            let script = try #require(service.world.withLock { $0.cueScripts.first })
            while !script.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
            await reading.value
        }
    }
}
