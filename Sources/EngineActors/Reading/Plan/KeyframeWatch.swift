// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Measures for how long a live stream has gone on without a keyframe, by the times of its packets. Pure.
///
/// Time counts as far as any track has come: video that vanishes while audio goes on is missing, too.
struct KeyframeWatch {
    /// Without a keyframe for this long, something is wrong: broadcasts have one at least every few seconds.
    static let patience = MediaTime.seconds(35)
    /// So many times in a row, the wait begins again. After that, none will come.
    static let limit = 6

    private let patience: Int64
    /// A longer step is a jump of the clock, which does not count as time.
    private let longestStep: Int64
    /// By track: its latest decode time, and how far it has come since the last keyframe.
    private var latest: [Int: Int64] = [:]
    private var progress: [Int: Int64] = [:]
    /// How often in a row no keyframe came in time.
    private(set) var misses = 0

    /// - Parameters:
    ///   - base: of all decode times.
    ///   - longestStep: in ticks. What is farther from the packet before it belongs to another clock.
    init(_ base: TimeBase, longestStep: Int64) {
        patience = Self.patience.ticks(in: base)
        self.longestStep = longestStep
    }

    /// - Parameters:
    ///   - track: 0 is the leading video, whose keyframes count.
    /// - Returns: whether the wait for a keyframe has just lasted too long. It begins again.
    mutating func see(_ decodeTime: Int64, of track: Int, isKey: Bool) -> Bool {
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
