// SPDX-License-Identifier: Apache-2.0

/// Finds out from decoded frames whether video that is declared as interlaced really is. Pure.
package struct FieldWatch: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        case undecided
        /// At least one frame is flagged as interlaced.
        case interlaced
        case progressive
    }

    /// The number of frames without the flag after which the video counts as progressive.
    private static let enough = 40
    /// The number that suffices at the end of the search.
    private static let few = 12

    package private(set) var verdict = Verdict.undecided
    private var frames = 0

    package init() {}

    package mutating func note(isInterlaced: Bool) {
        guard verdict == .undecided else { return }
        frames += 1
        if isInterlaced { verdict = .interlaced } else if frames >= Self.enough { verdict = .progressive }
    }

    /// Ends the search: the declaration is trusted unless enough frames contradict it.
    package mutating func finish() -> Verdict {
        if verdict == .undecided { verdict = frames >= Self.few ? .progressive : .interlaced }
        return verdict
    }
}
