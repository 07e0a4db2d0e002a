// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Finds out whether pictures that are declared to hold two fields of two moments do so, by what decoded ones say. Pure.
package struct FieldWatch: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        case undecided
        /// At least one says that it does.
        case interlaced
        case progressive
    }

    /// So many that say nothing of it settle it.
    private static let enough = 40
    /// As many do at the end of the search.
    private static let few = 12
    private static let packetLimit = 600
    private static let lengthLimit = MediaTime.seconds(3)

    package private(set) var verdict = Verdict.undecided
    private var pictures = 0

    package init() {}

    package mutating func note(isInterlaced: Bool) {
        guard verdict == .undecided else { return }
        pictures += 1
        if isInterlaced { verdict = .interlaced } else if pictures >= Self.enough { verdict = .progressive }
    }

    /// - Parameters:
    ///   - packets: that were read.
    ///   - elapsed: since the search began.
    /// - Returns: whether to search on.
    package func goesOn(packets: Int, elapsed: MediaTime) -> Bool {
        guard verdict == .undecided else { return false }
        return packets < Self.packetLimit && elapsed < Self.lengthLimit
    }

    /// The search is over: what was declared holds unless enough pictures speak against it.
    package mutating func finish() -> Verdict {
        if verdict == .undecided { verdict = pictures >= Self.few ? .progressive : .interlaced }
        return verdict
    }
}
