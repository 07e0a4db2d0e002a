// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("The statistics of a session", .timeLimit(.minutes(10)))
struct SessionCountersTests {
    @Test("buffering during playback is a stall; buffering after a start or a seek is not")
    func stalls() {
        var counters = SessionCounters()
        let started = [Phase.Name.ready, .buffering, .playing, .seeking, .buffering, .playing]
            .map { counters.noteStall($0, at: 0) }
        #expect(!started.contains(true))
        let stalled = [(Phase.Name.buffering, 1), (.buffering, 2), (.playing, 4)]
            .map { counters.noteStall($0, at: $1 * 1_000_000) }
        #expect(stalled == [true, false, true])
        #expect(counters.statistics.stalls == 1)
        #expect(counters.statistics.stallMicroseconds == 3000)
    }

    @Test("frames that earlier renderers dropped stay counted")
    func dropped() {
        var counters = SessionCounters()
        counters.rendererAttached()
        #expect([7, 7].map { counters.noteDropped($0) } == [true, false])
        counters.rendererAttached()
        #expect([0, 2].map { counters.noteDropped($0) } == [false, true])
        #expect(counters.statistics.droppedFrames == 9)
        #expect([UInt64.max].map { counters.noteDropped($0) } == [true])
        #expect(counters.statistics.droppedFrames == .max)
    }
}
