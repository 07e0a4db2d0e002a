// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Packaging

/// Decides what a live stream keeps: its newest media, by time and by size. Pure.
///
/// A stream that arrives faster than it plays is not live, but a recording that is sent without its length. Its sender
/// has to wait for readers, and no byte is dropped before it has been read.
package struct LiveWindow: Sendable {
    package struct Limits: Hashable, Sendable {
        package var duration: MediaTime
        package var byteCount: Int64

        package init(duration: MediaTime, byteCount: Int64) {
            self.duration = duration
            self.byteCount = byteCount
        }
    }

    package enum Change: Hashable, Sendable {
        /// Segments that begin before the first position are no longer listed, and bytes before the second one are no longer
        /// needed.
        case slides(to: Int64, keeping: Int64)
        /// The stream is a recording.
        case holdsBack
    }

    /// The minimum number of listed segments, because players stay three target durations behind the end.
    private static let fewest = 6
    /// The number of segments that can still be fetched after they have left the playlist, because players may be about
    /// to fetch them.
    private static let grace = 3
    /// Servers of live streams may begin with some seconds of past media. A stream that is ahead of the clock by more than this
    /// is a recording.
    private static let longestBurst = MediaTime.seconds(60)
    /// A stream that has not proved to be a recording after this time counts as live for good.
    private static let trial = MediaTime.seconds(600)

    private let limits: Limits
    /// The first segment of the source. `nil` until there is one.
    private var origin: Int?
    /// The first segment that is listed.
    private var first = 0
    private var isRecording = false

    package init(_ limits: Limits) { self.limits = limits }

    /// - Parameters:
    ///   - plan: the announced segments.
    ///   - newest: the number of bytes received.
    ///   - room: how many bytes can be kept.
    ///   - elapsed: the time since the first byte was received.
    package mutating func update(_ plan: SegmentPlan, newest: Int64, room: Int64, elapsed: MediaTime) -> Change? {
        guard !isRecording, let last = plan.boundaries.last, last.position >= 0 else { return nil }
        if origin == nil { first = plan.earlierCount }
        let origin = origin ?? first
        self.origin = origin
        let length = MediaTime(last.time &- plan.boundaries[origin].time, in: plan.timeBase)
        if first == origin, elapsed < Self.trial, length > elapsed + Self.longestBurst {
            isRecording = true
            return .holdsBack
        }
        let before = first
        let most = min(limits.byteCount, room)
        while first + Self.fewest < plan.segmentCount {
            let age = MediaTime(last.time &- plan.boundaries[first].time, in: plan.timeBase)
            let size = newest - plan.boundaries[kept].position
            if age <= limits.duration, size <= most { break }
            first += 1
        }
        guard first > before else { return nil }
        return .slides(to: plan.boundaries[first].position, keeping: plan.boundaries[kept].position)
    }

    /// The first segment that can still be fetched.
    private var kept: Int { max(origin ?? 0, first - Self.grace) }
}
