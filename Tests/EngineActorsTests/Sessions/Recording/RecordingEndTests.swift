// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Sessions

@Suite("The end of a recording")
struct RecordingEndTests {
    /// A recorder that waits for one segment.
    private actor Recording {
        private let ending: RecordingEnd

        init(patience: Duration) { ending = RecordingEnd(patience: patience) }

        /// - Returns: `true` once the segment has arrived.
        /// - Throws: if the wait is given up or cancelled.
        func segment(from source: Gate) async throws(EngineError) -> Bool {
            try await ending.limit { () async throws(EngineError) in
                await source.pass()
                guard source.isOpen else { throw EngineError(.cancelled, "the request was cancelled") }
                return true
            }
        }

        func stop() { ending.request() }
        var isStopped: Bool { ending.isRequested }
    }

    @Test("A segment that its source does not deliver is given up after the end was requested")
    func silence() async {
        let (recording, source) = (Recording(patience: .zero), Gate())
        async let segment = try? await recording.segment(from: source)
        await source.arrival()
        await recording.stop()
        #expect(await segment == nil)
        #expect(await recording.isStopped)
    }

    @Test("A segment that arrives in time is still recorded")
    func late() async {
        let (recording, source) = (Recording(patience: .seconds(3600)), Gate())
        async let segment = try? await recording.segment(from: source)
        await source.arrival()
        await recording.stop()
        source.open()
        #expect(await segment == true)
    }

    @Test("The wait for a segment ends when the call that waits for it is cancelled")
    func cancellation() async {
        let (recording, source) = (Recording(patience: .seconds(3600)), Gate())
        let call = Task { try? await recording.segment(from: source) }
        await source.arrival()
        call.cancel()
        #expect(await call.value == nil)
        #expect(await !recording.isStopped)
    }
}
