// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Subtitle packets shown for a long time", .timeLimit(.minutes(10)))
struct LongSpansTests {
    @Test("Only long spans are recorded, and returned only while they last")
    func lengths() {
        var spans = LongSpans(longerThan: 20, isReplaced: false)
        spans.add(at: 0, lasting: 20, position: 1)
        spans.add(at: 5, lasting: 21, position: 2)
        spans.add(at: 6, lasting: nil, position: 3)
        spans.add(at: 7, lasting: 500, position: 4)
        #expect(spans.on(at: 5).isEmpty)
        #expect(spans.on(at: 10).map(\.position) == [2, 4])
        #expect(spans.on(at: 26).map(\.position) == [4])
        #expect(spans.on(at: 26) { $0.position < 4 }.isEmpty)
        #expect(spans.on(at: 507).isEmpty)
    }

    @Test("A replaced packet lasts until the next, the last one without limit")
    func replaced() {
        var spans = LongSpans(longerThan: 20, isReplaced: true)
        spans.add(at: 0, lasting: nil, position: 1)
        // Another part of the same set.
        spans.add(at: 0, lasting: 0, position: 2)
        spans.add(at: 100, lasting: nil, position: 3)
        spans.add(at: 110, lasting: nil, position: 4)
        #expect(spans.on(at: 99).map(\.position) == [1])
        #expect(spans.on(at: 105).isEmpty)
        #expect(spans.on(at: 1_000_000).map(\.position) == [4])
    }

    @Test("Times and numbers of any size are handled")
    func limits() {
        var spans = LongSpans(longerThan: 20, isReplaced: true)
        spans.add(at: .max - 5, lasting: .max, position: .max)
        spans.add(at: .min, lasting: nil, position: .min)
        #expect(spans.on(at: .max - 1).count <= 2)
        var many = LongSpans(longerThan: 1, isReplaced: false)
        for number in 0..<10_000 { many.add(at: Int64(number), lasting: 1 << 40, position: Int64(number)) }
        #expect(many.on(at: 20_000).map(\.position) == Array(4032..<4096))
        #expect(many.on(at: 20_000) { $0.position < 10 }.map(\.position) == Array(0..<10))
    }
}
