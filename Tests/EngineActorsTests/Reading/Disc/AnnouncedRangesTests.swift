// SPDX-License-Identifier: Apache-2.0

@testable import Reading
import Testing

/// Which ranges of an image on a server are announced.
struct AnnouncedRangesTests {
    /// Inserts each list in turn.
    ///
    /// - Returns: the result of each insertion.
    private static func inserted(_ lists: [[Range<Int64>]], into announced: inout AnnouncedRanges) -> [Bool] {
        lists.map { announced.insert($0) }
    }

    @Test
    func nearRangesAreJoined() {
        var announced = AnnouncedRanges(limit: 1 << 20)
        // Ranges are joined in the order of their offsets. Only the gap before the last one is too long.
        let results = Self.inserted([[40_000..<42_000, 0..<2048, 4096..<6144, 20_000..<21_000]], into: &announced)
        #expect(results == [true])
        #expect(announced.ranges == [0..<21_000, 40_000..<42_000])
        #expect(announced.contains(3000) && !announced.contains(21_000) && announced.contains(41_999))
    }

    @Test
    func onlyNewRangesAreAdded() {
        var announced = AnnouncedRanges(limit: 1 << 20)
        let lists: [[Range<Int64>]] = [
            [0..<100_000], [10..<20, 99_000..<100_000, 5..<5], [], [10..<20, 500_000..<500_010],
        ]
        let results = Self.inserted(lists, into: &announced)
        #expect(results == [true, false, false, true])
        #expect(announced.ranges == [0..<100_000, 500_000..<500_010])
    }

    @Test
    func bytesAreLimited() {
        var announced = AnnouncedRanges(limit: 1000)
        let results = Self.inserted([[0..<800, 50_000..<50_900], [90_000..<90_001]], into: &announced)
        #expect(results == [true, false])
        #expect(announced.ranges == [0..<800, 50_000..<50_200])
    }

    @Test
    func firstRangeIsDivided() {
        var announced = AnnouncedRanges(limit: 1 << 20)
        #expect(announced.parts == [])
        let results = Self.inserted([[524_288..<700_000], [800_000..<1_000_000]], into: &announced)
        #expect(results == [true, true])
        #expect(announced.parts == [524_288..<589_824, 589_824..<700_000, 800_000..<1_000_000])
    }
}
