// SPDX-License-Identifier: Apache-2.0

extension SegmentPlan {
    /// The number of segments that an earlier process may have announced: it noted their number only from time to time.
    ///
    /// - Parameter noted: the number that it noted last; 0 if it noted none.
    package static func announced(afterNoting noted: Int) -> Int { noted > 0 ? noted + 100 : 0 }

    /// The position of a segment that exists only for its index, because an earlier process may have announced it.
    package static let nowhere: Int64 = -1

    /// The number of segments that an earlier process may have announced.
    package var earlierCount: Int { boundaries.prefix { $0.position == Self.nowhere }.count }
}
