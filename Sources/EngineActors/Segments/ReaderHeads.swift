// SPDX-License-Identifier: Apache-2.0

/// Where players read, told from what they ask for.
///
/// A request close after a known place moves that place; any other opens a new one, and the least recent is forgotten.
/// So two players in one film, or one that seeks, each have a window of their own.
struct ReaderHeads: Sendable {
    static let limit = 4

    /// How far ahead of a reader segments are made.
    let ahead: Int
    /// Segment indexes, the most recent reader first.
    private(set) var places: [Int] = []
    /// Whether a place was come back to after another had been read: two players take turns. A player that only seeks
    /// never comes back.
    private(set) var hasSeveralReaders = false

    init(ahead: Int) { self.ahead = ahead }

    mutating func note(_ index: Int) {
        if let known = places.firstIndex(where: { index >= $0 - 2 && index <= $0 + ahead + 1 }) {
            if known > 0 { hasSeveralReaders = true }
            let place = places.remove(at: known)
            places.insert(max(place, index), at: 0)
        } else {
            places.insert(index, at: 0)
            if places.count > Self.limit { places.removeLast() }
        }
    }

    /// What should be made without being asked for: all that the most recent reader will want, then the next reader's, so
    /// that one demuxer does not go to and fro.
    func wanted(segmentCount: Int) -> [Int] {
        guard ahead > 0 else { return [] }
        return places.flatMap { place in (1...ahead).map { place + $0 } }.filter { $0 < segmentCount }
    }

    /// How little a segment is worth keeping: its distance from the nearest reader, double when it lies behind, a little
    /// more for readers that have not asked for long.
    func cost(of index: Int) -> Int {
        places.enumerated().map { rank, place in
            (index >= place ? index - place : 2 * (place - index)) + 4 * rank
        }.min() ?? index
    }
}
