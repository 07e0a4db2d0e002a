// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("Delays and A–B loops")
struct DelaysTests {
    @Test(
        "audio delays are rounded to milliseconds and clamped to ±10 s",
        arguments: [
            (0.25, 0.25, false), (-0.0014, -0.001, false), (0.0015, 0.002, false), (10, 10, false), (11, 10, true),
            (-99, -10, true), (-1e12, -10, true),
        ]
    )
    func audio(asked: Double, expected: Double, isClamped: Bool) {
        var delays = Delays()
        let clamped = delays.setAudio(.seconds(asked))
        #expect(clamped == isClamped)
        #expect(delays == Delays(audio: .seconds(expected), subtitles: .zero))
    }

    @Test("subtitles may be shifted by up to an hour")
    func subtitles() {
        #expect(Delays(audio: .zero, subtitles: .seconds(-5000)).subtitles == .seconds(-3600))
    }

    @Test(
        "an A–B loop starts at 0 or later, and is at least 100 ms long or has no end yet",
        arguments: [(0.0, 0.1, true), (0, 0.09, false), (-1, 3, false), (5, 4, false), (5, nil, true)]
            as [(Double, Double?, Bool)]
    )
    func points(start: Double, end: Double?, isValid: Bool) {
        let points = LoopPoints(start: .seconds(start), end: end.map { .seconds($0) })
        #expect((points != nil) == isValid)
    }

    @Test(
        "an A–B loop ends with its source at the latest, and is refused if less than 100 ms remain",
        arguments: [
            (1, 2, 30, 2), (1, 40, 30, 30), (1, 40, nil, 40), (1, nil, 30, nil), (40, 50, 30, -1), (30, nil, 30, -1),
            (29.95, 50, 30, -1),
        ] as [(Double, Double?, Double?, Double?)]
    )
    func clamped(start: Double, end: Double?, duration: Double?, expected: Double?) {
        let points = LoopPoints(start: .seconds(start), end: end.map { .seconds($0) })
        let found = points?.clamped(to: duration.map { .seconds($0) })
        // -1: refused.
        #expect(
            found == (expected == -1 ? nil : LoopPoints(start: .seconds(start), end: expected.map { .seconds($0) }))
        )
    }
}
