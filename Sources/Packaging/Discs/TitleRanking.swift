// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Chooses the main title of a disc. Discs do not state which title that is. Pure.
package enum TitleRanking {
    /// A title, with the properties that are compared.
    package struct Candidate: Hashable, Sendable {
        /// The parts of clips that it plays. Titles with equal parts count as one title.
        package let parts: [Part]
        package let duration: MediaTime
        package let chapterCount: Int
        /// Whether the disc plays it when it is inserted, or as one of its titles.
        package let isReferenced: Bool

        package init(parts: [Part], duration: MediaTime, chapterCount: Int, isReferenced: Bool) {
            self.parts = parts
            self.duration = duration
            self.chapterCount = chapterCount
            self.isReferenced = isReferenced
        }
    }

    package struct Part: Hashable, Sendable {
        package let clip: String
        package let start: UInt32
        package let end: UInt32

        package init(clip: String, start: UInt32, end: UInt32) {
            self.clip = clip
            self.start = start
            self.end = end
        }
    }

    package struct Choice: Hashable, Sendable {
        /// The index of the main title.
        package let place: Int
        /// Whether other titles might be the main title.
        package let isGuess: Bool

        package init(place: Int, isGuess: Bool) {
            self.place = place
            self.isGuess = isGuess
        }
    }

    /// Shorter titles are ignored, unless all titles are short or decoys: they are logos and warnings.
    private static let shortest = MediaTime.seconds(10)
    /// A title that plays one part more often than this is a decoy against copying, or the background of a menu.
    private static let repeatLimit = 2
    /// Only a title that lasts at least this share of the longest one can be the main title.
    private static let share = 0.5

    /// - Returns: `nil` if there is no title.
    package static func main(of titles: [Candidate]) -> Choice? {
        var known: Set<[Part]> = []
        let fitting = titles.indices.filter { place in
            titles[place].duration >= shortest && !isDecoy(titles[place]) && known.insert(titles[place].parts).inserted
        }
        let places = fitting.isEmpty ? Array(titles.indices) : fitting
        guard let longest = places.map({ titles[$0].duration }).max() else { return nil }
        let long = places.filter { titles[$0].duration.seconds >= share * longest.seconds }
        let referenced = long.filter { titles[$0].isReferenced }
        let candidates = referenced.isEmpty ? long : referenced
        let best = candidates.min { left, right in
            let (left, right) = (titles[left], titles[right])
            return (right.duration, right.chapterCount) < (left.duration, left.chapterCount)
        }
        return best.map { Choice(place: $0, isGuess: candidates.count > 1) }
    }

    private static func isDecoy(_ title: Candidate) -> Bool {
        var counts: [Part: Int] = [:]
        for part in title.parts { counts[part, default: 0] += 1 }
        return counts.values.contains { $0 > repeatLimit }
    }
}
