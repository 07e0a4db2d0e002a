// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Decoding

@Suite("presentation times when only decode times are known", .timeLimit(.minutes(10)))
struct PresentationReordererTests {
    /// Sends all packets in order, then shows the frames in the order of `output`.
    private func times(
        sent: Int64,
        output: [(slot: Int64, isBidirectional: Bool)],
        from key: Int64? = nil,
        known: [Int64: Int64] = [:]
    ) -> [PresentationReorderer.Shown?] {
        var clock = PresentationReorderer(from: key)
        for slot in (key ?? 0)..<(key ?? 0) + sent { clock.send(slot, known: known[slot]) }
        return output.map { clock.show($0.slot, pending: $0.isBidirectional ? 1 : 0) }
    }

    @Test("increase by one with each frame, in output order")
    func reordered() {
        let found = times(
            sent: 7,
            output: [(0, false), (2, true), (3, true), (1, false), (5, true), (6, true), (4, false)]
        )
        #expect(found.map { $0?.time } == [0, 1, 2, 3, 4, 5, 6])
    }

    @Test("skip frames that are never output, if output is in decoding order")
    func repeated() {
        let found = times(sent: 5, output: [(0, false), (1, false), (3, false), (4, false)])
        #expect(found.map { $0?.time } == [0, 1, 3, 4])
    }

    @Test("skip frames that are never output, if output is reordered")
    func repeatedAmongReordered() {
        let found = times(sent: 6, output: [(0, false), (2, true), (1, false), (5, true), (4, false)])
        #expect(found.map { $0?.time } == [0, 1, 2, 4, 5])
    }

    @Test("delay the first frame by the leading frames that cannot be decoded")
    func leading() {
        let found = times(sent: 5, output: [(10, false), (14, true), (13, false)], from: 10)
        #expect(found.map { $0?.time } == [10, 13, 14])
        #expect(found[1]?.earlier == 12)
    }

    @Test("are not given to frames that refer to frames before the entry point")
    func before() {
        let found = times(sent: 3, output: [(11, true), (10, false), (12, false)], from: 10)
        #expect(found.map { $0?.time } == [nil, 10, 12])
    }

    @Test("follow a presentation time that the container gives")
    func corrected() {
        let found = times(sent: 4, output: [(0, false), (2, true), (1, false), (3, false)], known: [0: 5])
        #expect(found.map { $0?.time } == [5, 6, 7, 8])
    }

    @Test("are assigned even if many packets never become frames")
    func bounded() {
        var clock = PresentationReorderer(from: nil)
        for slot in 0..<Int64(100_000) { clock.send(slot, known: nil) }
        let shown = clock.show(99_999, pending: 0)
        #expect(shown?.time == 99_999)
    }
}
