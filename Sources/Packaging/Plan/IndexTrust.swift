// SPDX-License-Identifier: Apache-2.0

/// Whether a container's index can be trusted to list the keyframes of the whole source.
package enum IndexTrust: Hashable, Sendable {
    case trusted
    /// The reason, in words for a notice.
    case rejected(String)

    /// Judges an index by its keyframe times alone. Typical defects are cues for the beginning only, and cues with
    /// gaps.
    ///
    /// - Parameters:
    ///   - times: in ticks, ascending.
    ///   - start: where the leading track starts.
    ///   - end: where the leading track ends.
    ///   - largestGap: the longest plausible distance between two entries, and from the last one to the end. From the
    ///     start to the first entry, a quarter of it.
    package static func judge(times: [Int64], start: Int64, end: Int64, largestGap: Int64) -> IndexTrust {
        guard let first = times.first, let last = times.last else { return .rejected("the index is empty") }
        guard first - start <= largestGap / 4 else { return .rejected("the index starts late") }
        guard end - last <= largestGap else { return .rejected("the index ends long before the source") }
        for (earlier, later) in zip(times, times.dropFirst()) where later - earlier > largestGap {
            return .rejected("the index has a gap")
        }
        return .trusted
    }
}
