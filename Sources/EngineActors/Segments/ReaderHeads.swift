// SPDX-License-Identifier: Apache-2.0

/// The read positions of players, derived from their requests.
///
/// A request close to a known position counts as made by the same reader, whose position moves forward with it. Any
/// other request adds a position; beyond the limit, the least recently used position is forgotten. Two players of one
/// source therefore have separate positions, and so has one player before and after a seek.
struct ReaderHeads: Sendable {
    static let limit = 4

    /// How many segments are made ahead of a reader.
    let ahead: Int
    /// Segment indexes, the most recent reader first.
    private(set) var places: [Int] = []
    /// Whether a request has returned to a position after another position had been used, which means that two players
    /// take turns. A player that only seeks never returns.
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

    /// The segments that should be made before they are requested: all that the most recent reader will want, then
    /// those of the next reader, so that one demuxer does not seek back and forth.
    func wanted(segmentCount: Int) -> [Int] { places.flatMap { wanted(from: $0, segmentCount: segmentCount) } }

    /// The segments that a reader at `place` will request next.
    func wanted(from place: Int, segmentCount: Int) -> Range<Int> {
        let first = min(place + 1, segmentCount)
        return first..<min(first + ahead, segmentCount)
    }

    /// How expendable a segment is: its distance from the nearest reader, doubled if the segment lies before the
    /// reader, plus 4 for each more recent reader.
    func cost(of index: Int) -> Int {
        places.enumerated().map { rank, place in
            (index >= place ? index - place : 2 * (place - index)) + 4 * rank
        }.min() ?? index
    }
}
