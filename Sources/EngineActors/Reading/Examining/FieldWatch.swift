// SPDX-License-Identifier: Apache-2.0

/// Finds out from decoded frames whether video that is declared as interlaced really is. Pure.
package struct FieldWatch: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        case undecided
        /// At least one frame is flagged as interlaced.
        case interlaced
        case progressive
    }

    /// This many frames without the flag settle it.
    private static let enough = 40
    /// This many suffice at the end of the search.
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
