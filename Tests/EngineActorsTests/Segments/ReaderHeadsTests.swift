// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Segments

@Suite("Read positions of players")
struct ReaderHeadsTests {
    @Test("a player that reads sequentially has one position; a distant request adds another")
    func places() {
        var heads = ReaderHeads(ahead: 6)
        for index in 0..<5 { heads.note(index) }
        #expect(heads.places == [4])
        heads.note(100)
        #expect(heads.places == [100, 4])
        heads.note(5)
        #expect(heads.places == [5, 100])
    }

    @Test("fetching an older segment again does not move the position back")
    func refetch() {
        var heads = ReaderHeads(ahead: 6)
        heads.note(10)
        heads.note(9)
        #expect(heads.places == [10])
    }

    @Test("only a few recent positions are remembered")
    func limit() {
        var heads = ReaderHeads(ahead: 2)
        for index in stride(from: 0, to: 1000, by: 100) { heads.note(index) }
        #expect(heads.places == [900, 800, 700, 600])
    }

    @Test("players that take turns are distinguished from one that seeks")
    func several() {
        var heads = ReaderHeads(ahead: 6)
        for index in [0, 1, 500, 501, 900] { heads.note(index) }
        #expect(!heads.hasSeveralReaders)
        heads.note(502)
        #expect(heads.hasSeveralReaders)
    }

    @Test("the next segments of each reader are wanted, the most recent reader's first, up to the end")
    func wanted() {
        var heads = ReaderHeads(ahead: 2)
        heads.note(10)
        heads.note(50)
        #expect(heads.wanted(segmentCount: 52) == [51, 11, 12])
    }

    @Test("a segment behind a reader is more expendable than one that is equally far ahead")
    func cost() {
        var heads = ReaderHeads(ahead: 4)
        heads.note(10)
        #expect(heads.cost(of: 8) > heads.cost(of: 12))
        #expect(heads.cost(of: 10) == 0)
    }
}
