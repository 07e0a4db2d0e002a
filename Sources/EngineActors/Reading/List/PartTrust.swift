// SPDX-License-Identifier: Apache-2.0

/// Decides whether the parts of a list stand for its segments. Pure.
///
/// RFC 8216bis §4.4.4.9 demands that the parts of a segment have its media, but not that they have its bytes. So that a
/// segment is the same however it was fetched, the first one is fetched both ways.
struct PartTrust: Hashable {
    private enum Verdict: Hashable {
        case untested
        /// The bytes of the parts are those of the segment.
        case same
        case different
    }

    /// After each failure in a row, parts are not fetched for twice as many segments, at most two to the power of this
    /// number.
    private static let longestPause = 5

    private var verdict = Verdict.untested
    /// The number of segments in a row of which a part could not be fetched.
    private var failures = 0
    /// The first segment whose parts are fetched again.
    private var resumption = 0

    /// Whether segments are made of their parts.
    var isGiven: Bool { verdict == .same }

    /// Whether parts are known not to stand for segments.
    var isRefused: Bool { verdict == .different }

    /// Whether the parts of a segment are fetched.
    func fetches(_ segment: Int) -> Bool { !isRefused && segment >= resumption }

    /// A segment was fetched both ways.
    ///
    /// - Returns: whether this has just shown that parts do not stand for segments.
    mutating func compared(isSame: Bool) -> Bool {
        guard verdict == .untested else { return false }
        verdict = isSame ? .same : .different
        return !isSame
    }

    /// A part of a segment could not be fetched: the segment is fetched as a whole.
    mutating func failed(in segment: Int) {
        resumption = segment + 1 << min(failures, Self.longestPause)
        failures += 1
    }

    /// All parts of a segment were fetched.
    mutating func completed() { failures = 0 }
}
