// SPDX-License-Identifier: Apache-2.0

/// A step from one chapter to another.
public enum ChapterStep: Hashable, Sendable, CaseIterable {
    case next
    /// To the start of the current chapter if it is the first, or if more than `restartThreshold` of it has played;
    /// otherwise to the previous chapter.
    case previous

    /// Once this much of a chapter has played, `previous` goes back to its start.
    package static let restartThreshold = MediaTime.seconds(3)
}

extension [Chapter] {
    /// The chapter that contains `position`; where chapters overlap, the one that starts last.
    package func index(at position: MediaTime) -> Int? {
        indices.filter { self[$0].start <= position && position < self[$0].end }.max { self[$0].start < self[$1].start }
    }

    /// The position that `step` leads to from `position`. `nil` if there is no such chapter.
    package func target(_ step: ChapterStep, from position: MediaTime) -> MediaTime? {
        let starts = map(\.start).sorted()
        switch step {
        case .next: return starts.first { $0 > position }
        case .previous:
            let passed = starts.filter { $0 <= position }
            guard let current = passed.last else { return nil }
            if position - current > ChapterStep.restartThreshold { return current }
            return passed.last { $0 < current } ?? current
        }
    }

    /// The next time after `position` at which the current chapter may change.
    package func boundary(after position: MediaTime) -> MediaTime? {
        flatMap { [$0.start, $0.end] }.filter { $0 > position }.min()
    }
}
