// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides how to answer a playlist request with `_HLS_msn` and `_HLS_part` (draft-pantos-hls-rfc8216bis §6.2.5.2).
package struct BlockingReload: Hashable, Sendable {
    package enum Answer: Hashable, Sendable {
        /// The playlist as it is.
        case now
        /// Decide again when the playlist changes.
        case wait
        /// 400: malformed, or too far ahead.
        case refuse
    }

    /// The media sequence number of the last complete segment; -1 if there is none.
    package var lastSegment: Int
    /// The number of its parts.
    package var partsOfLast: Int
    /// The number of complete parts of the segment after it.
    package var partsOfNext: Int
    package var hasEnded: Bool
    package let partTarget: MediaTime

    package init(lastSegment: Int, partsOfLast: Int, partsOfNext: Int, hasEnded: Bool, partTarget: MediaTime) {
        self.lastSegment = lastSegment
        self.partsOfLast = partsOfLast
        self.partsOfNext = partsOfNext
        self.hasEnded = hasEnded
        self.partTarget = partTarget
    }

    package func answer(segment: Int?, part: Int?) -> Answer {
        guard let segment else { return part == nil ? .now : .refuse }
        if segment < 0 || part.map({ $0 < 0 }) == true { return .refuse }
        if hasEnded || segment < lastSegment { return .now }
        // Written as a difference, because the number comes from the client and may be the largest possible one.
        let distance = segment - lastSegment
        if distance > 2 { return .refuse }
        guard let part else { return distance == 0 ? .now : .wait }
        switch distance {
        case 0:
            // A part after the last one of its segment stands for part 0 of the next segment.
            return part < partsOfLast || partsOfNext > 0 ? .now : .wait
        case 1:
            if part < partsOfNext { return .now }
            return part - partsOfNext < advancePartLimit ? .wait : .refuse
        default:
            return part < advancePartLimit ? .wait : .refuse
        }
    }

    /// How many parts after the last one may be waited for.
    private var advancePartLimit: Int {
        guard partTarget.microseconds < 1_000_000 else { return 3 }
        return Int(3_000_000 / max(1, partTarget.microseconds))
    }
}
