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

    init(ahead: Int) { self.ahead = ahead }

    mutating func note(_ index: Int) {
        if let known = places.firstIndex(where: { index >= $0 - 2 && index <= $0 + ahead + 1 }) {
            let place = places.remove(at: known)
            places.insert(max(place, index), at: 0)
        } else {
            places.insert(index, at: 0)
            if places.count > Self.limit { places.removeLast() }
        }
    }

    /// What should be made without being asked for, the nearest to its reader first.
    func wanted(segmentCount: Int) -> [Int] {
        guard ahead > 0 else { return [] }
        return (1...ahead).flatMap { step in places.map { $0 + step } }.filter { $0 < segmentCount }
    }

    /// How little a segment is worth keeping: its distance from the nearest reader, double when it lies behind, a little
    /// more for readers that have not asked for long.
    func cost(of index: Int) -> Int {
        places.enumerated().map { rank, place in
            (index >= place ? index - place : 2 * (place - index)) + 4 * rank
        }.min() ?? index
    }
}
