// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Measures how long a live stream has lacked a keyframe, by the times of its packets. Pure.
///
/// The packets of every track count, so that video which disappears while audio continues is noticed.
struct KeyframeWatch {
    /// A stream without a keyframe for this long is faulty: broadcasts have one every few seconds.
    static let patience = MediaTime.seconds(35)
    /// The number of misses in a row that are tolerated.
    static let limit = 6

    private let patience: Int64
    /// A longer step is a jump of the clock, which does not count as time.
    private let longestStep: Int64
    /// By track: its latest decode time, and the time since the last keyframe.
    private var latest: [Int: Int64] = [:]
    private var progress: [Int: Int64] = [:]
    /// The number of misses in a row.
    private(set) var misses = 0

    /// - Parameters:
    ///   - base: the time base of all decode times.
    ///   - longestStep: in ticks. A packet that is farther from the previous one belongs to another clock.
    init(_ base: TimeBase, longestStep: Int64) {
        patience = Self.patience.ticks(in: base)
        self.longestStep = longestStep
    }

    /// - Parameter track: 0 is the leading video, whose keyframes count.
    /// - Returns: whether the stream has just missed a keyframe. The measurement then starts again.
    mutating func note(_ decodeTime: Int64, of track: Int, isKey: Bool) -> Bool {
        let last = latest.updateValue(decodeTime, forKey: track)
        if track == 0, isKey {
            progress = [:]
            misses = 0
            return false
        }
        let step = last.map { decodeTime &- $0 } ?? 0
        guard step > 0, step <= longestStep else { return false }
        let sum = progress[track, default: 0] + step
        progress[track] = sum
        guard sum >= patience else { return false }
        progress = [:]
        misses += 1
        return true
    }
}
