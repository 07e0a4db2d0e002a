// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineTestKit
import Testing

@testable import Transfers

@Suite("The places of transfers at a server", .timeLimit(.minutes(10)))
struct TransferPlacesTests {
    /// Silence is noticed soon, but ends no transfer.
    private let limits = StallLimits(quiet: .milliseconds(50), stall: .seconds(3600), window: .seconds(3600))

    private func request(_ origin: ScriptedOrigin, _ path: String) throws -> TransferRequest {
        TransferRequest(try ResourceURL(origin.url(path)), byteLimit: 1 << 20)
    }

    private func origin() async throws -> ScriptedOrigin {
        try await ScriptedOrigin { request in
            request.target == "/silent" ? [.silence] : [.head("200 OK", "Content-Length: 2"), .send([1, 2])]
        }
    }

    /// Starts transfers that the server does not answer.
    private func fill(
        _ loop: TransferLoop,
        _ origin: ScriptedOrigin,
        _ count: Int,
        _ limits: StallLimits
    ) throws -> [TransferLoop.ID] {
        try (0..<count).map { _ in loop.start(try request(origin, "silent"), stallLimits: limits, for: Recorder()) }
    }

    @Test("Transfers to which the server does not answer do not keep another transfer waiting")
    func silence() async throws {
        let (origin, loop, other) = (try await origin(), TransferLoop(), Recorder())
        _ = try fill(loop, origin, 12, limits)
        _ = loop.start(try request(origin, "film"), for: other)
        #expect(await other.report().end == .complete)
        #expect(other.body == [1, 2])
    }

    @Test("A client is told once that its transfer waits for others, unless no reader waits for it")
    func queue() async throws {
        let (origin, loop) = (try await origin(), TransferLoop())
        let patient = StallLimits(quiet: .seconds(3600), stall: .seconds(3600), window: .seconds(3600))
        let first = try fill(loop, origin, 5, patient)
        let (urgent, ahead, later) = (Recorder(), Recorder(), Recorder())
        _ = loop.start(try request(origin, "film"), stallLimits: limits, isUrgent: false, for: ahead)
        _ = loop.start(try request(origin, "film"), stallLimits: limits, for: urgent)
        try await eventually { urgent.quietCount == 1 }
        // As much time passes again until the client of another transfer is told.
        _ = loop.start(try request(origin, "film"), stallLimits: limits, for: later)
        try await eventually { later.quietCount == 1 }
        #expect(urgent.quietCount == 1 && ahead.quietCount == 0)
        for transfer in first { loop.cancel(transfer) }
        for waiting in [urgent, ahead, later] { #expect(await waiting.report().end == .complete) }
    }
}
