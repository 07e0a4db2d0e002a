// SPDX-License-Identifier: Apache-2.0

/// A way from one chapter to another.
public enum ChapterStep: Hashable, Sendable, CaseIterable {
    case next
    /// To the start of the current chapter when enough of it was played, else to the one before.
    case previous

    /// After this much of a chapter, `previous` means its start.
    package static let restartThreshold = MediaTime.seconds(3)
}

extension [Chapter] {
    /// The chapter that `position` is in, the latest to start where they overlap.
    package func index(at position: MediaTime) -> Int? {
        indices.filter { self[$0].start <= position && position < self[$0].end }.max { self[$0].start < self[$1].start }
    }

    /// Where `step` leads from `position`. `nil` where there is no such chapter.
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

    /// The next moment after `position` at which the current chapter may be another one.
    package func boundary(after position: MediaTime) -> MediaTime? {
        flatMap { [$0.start, $0.end] }.filter { $0 > position }.min()
    }
}
