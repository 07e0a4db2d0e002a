// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Testing

@testable import Transfers

@Suite("A source whose server has not answered yet", .timeLimit(.minutes(10)))
struct PendingSourceTests {
    private struct Seen: Sendable {
        var wait: SourceWait?
        var traffic = SourceTraffic()
    }

    @Test("is known while it is being opened, with the reason why it waits and the number of its requests")
    func begins() async throws {
        let origin = try await ScriptedOrigin { _ in [.head("503 Busy", "Retry-After: 60", "Content-Length: 0")] }
        let url = try ResourceURL(origin.url())
        let (seen, see) = AsyncStream.makeStream(of: Seen.self)
        let flag = InterruptFlag()
        async let result = Blocking().run { () -> Result<HTTPSource, EngineError> in
            do throws(EngineError) {
                return .success(
                    try HTTPSources(.on).open(url, HTTPOptions(), interrupt: flag) { source in
                        let waits = source.waits()
                        // Ends with the source.
                        Task { [weak source] in
                            for await wait in waits {
                                see.yield(Seen(wait: wait, traffic: source?.traffic ?? SourceTraffic()))
                            }
                        }
                    }
                )
            } catch {
                return .failure(error)
            }
        }
        let first = await seen.first { _ in true }
        #expect(first?.wait == .retrying(status: 503))
        #expect(first.map { $0.traffic.requests > 0 } == true)
        flag.raise()
        guard case .failure(let error) = await result else {
            Issue.record("a source without an answer was opened")
            return
        }
        #expect(error.code == .cancelled)
        try await origin.close()
    }
}
