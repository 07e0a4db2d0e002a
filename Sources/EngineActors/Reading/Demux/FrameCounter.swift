// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// Counts the frames of an elementary stream, whose packets state no usable times. Boundaries are byte positions in the
/// file; frames are counted from the latest one.
struct FrameCounter {
    enum Finding: Hashable {
        /// The frame lies before the first boundary.
        case early
        /// The first frame that is not early lies after the first boundary: reading began too late.
        case late
        /// The frame's time, in ticks of the stream.
        case at(Int64)
    }

    private var anchor: Keyframe
    private let boundaries: [Keyframe]
    private let duration: Int64
    private var count: Int64 = 0
    private var hasBegun = false

    /// - Parameters:
    ///   - first: the boundary at which counting begins.
    ///   - boundaries: the boundaries at which counting begins again.
    ///   - duration: the duration of a frame, in ticks of the stream.
    init(from first: Keyframe, boundaries: [Keyframe] = [], duration: Int64) {
        anchor = first
        self.boundaries = boundaries
        self.duration = duration
    }

    /// - Parameter position: the position of the next frame in the file.
    mutating func note(_ position: Int64) -> Finding {
        if !hasBegun {
            guard position >= anchor.position else { return .early }
            guard position == anchor.position else { return .late }
            hasBegun = true
        }
        for boundary in boundaries where boundary.position == position {
            anchor = boundary
            count = 0
        }
        defer { count += 1 }
        return .at(anchor.time &+ count &* duration)
    }
}
