// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Divides a segment into parts (draft-pantos-hls-rfc8216bis §4.4.4.9) at multiples of a length after the segment's
/// start. The last part may be shorter.
///
/// A part depends only on the segment's boundaries and the length, not on when it was announced. Times are ticks of the
/// leading track.
package struct PartGrid: Hashable, Sendable {
    /// The distance between two lines. A whole number of frames at 25, 30, 50 and 60 frames per second.
    package static let length = MediaTime(microseconds: 400_000)
    /// A line less than this before the end of its segment is left out: the part after it would have no frame, or only
    /// one. So a part is known only when its segment is known to continue for this long after the part.
    package static let remainder = MediaTime(microseconds: 40_000)
    /// The longest that a part of video may last.
    package static let target = length + remainder

    /// `length` in ticks, at least 1.
    package static func ticks(in base: TimeBase) -> Int64 { max(1, length.ticks(in: base)) }

    package let start: Int64
    package let length: Int64
    /// `remainder` in ticks.
    package let rest: Int64

    /// - Parameter length: positive.
    package init(start: Int64, length: Int64) {
        precondition(length > 0, "the length of parts is positive")
        self.start = start
        self.length = length
        rest = length / (Self.length.microseconds / Self.remainder.microseconds)
    }

    /// The start of each complete part, followed by the end of the last, of a segment whose end is unknown.
    ///
    /// - Parameter settled: the time before which all samples of all tracks are known, and the segment does not end.
    package func lines(settled: Int64) -> [Int64] {
        (0...max(0, settled &- start &- rest) / length).map { start &+ $0 &* length }
    }

    /// The start of each part, followed by the end of the segment. Begins with every result of `lines(settled:)` for a
    /// time that is not after `end`.
    package func lines(end: Int64) -> [Int64] {
        let lines = lines(settled: end)
        return lines.last.map { $0 < end } == true ? lines + [end] : lines
    }
}
