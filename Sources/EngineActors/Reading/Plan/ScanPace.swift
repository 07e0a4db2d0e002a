// SPDX-License-Identifier: Apache-2.0

package import Packaging

/// Keeps the scan of a source on a server just ahead of playback, so that it never downloads what nobody plays, and so
/// that what it reads is still cached when it is played. Pure.
package enum ScanPace {
    /// How far the scan may be ahead of the segment that is played, in bytes of the source: half of the default size of
    /// the memory cache for sources on servers.
    static let byteLimit: Int64 = 32 << 20
    /// At least this many segments after the played one are planned, whatever their length.
    static let segmentCount = 2

    /// Whether the scan should wait for playback.
    ///
    /// - Parameters:
    ///   - offset: the position in the source that the scan has reached, in bytes.
    ///   - played: the last segment that a player has requested, or the one that contains the playhead if it is later.
    package static func waits(at offset: Int64, _ plan: SegmentPlan, playing played: Int) -> Bool {
        guard played >= 0, played + segmentCount < plan.segmentCount else { return false }
        return offset - plan.boundaries[played].position > byteLimit
    }

    /// The first segment that must be played before the scan continues. `nil` if the scan should not wait. The
    /// parameters are those of `waits`.
    package static func goal(at offset: Int64, _ plan: SegmentPlan, playing played: Int) -> Int? {
        guard waits(at: offset, plan, playing: played) else { return nil }
        return (played + 1..<plan.segmentCount).first { !waits(at: offset, plan, playing: $0) }
    }
}
