// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// The segments of a live stream that an earlier process may have announced. The segments that the scan finds are
/// numbered after them.
struct EarlierSegments {
    /// Their positions are `SegmentPlan.nowhere`.
    let boundaries: [Keyframe]

    static let none = EarlierSegments(boundaries: [])

    private init(boundaries: [Keyframe]) { self.boundaries = boundaries }

    /// - Parameters:
    ///   - start: the start of the first segment, in ticks of the leading stream.
    ///   - length: the length of each segment, in the same ticks.
    init(_ count: Int, from start: Int64, length: Int64) {
        boundaries = (0..<Int64(count)).map { index in
            let time = start &+ index &* length
            return Keyframe(time: time, seekTimestamp: time, position: SegmentPlan.nowhere)
        }
    }

    /// The changes that the scan has found, with segment numbers that continue after these segments.
    func renumbered(_ found: [ConfigurationChange]) -> [ConfigurationChange] {
        found.map { ConfigurationChange(firstSegment: $0.firstSegment + boundaries.count, privateData: $0.privateData) }
    }

    func renumbered(_ found: [ClockJump]) -> [ClockJump] {
        found.map { jump in
            var jump = jump
            jump.firstSegment += boundaries.count
            return jump
        }
    }
}
