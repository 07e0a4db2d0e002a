// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension SegmentPlan {
    /// The lowest bit rate that a track has in a segment, in bits per second. 0 unless the plan is complete.
    ///
    /// - Parameter frames: the times and sizes of the track's frames, in ascending order and in ticks of the plan.
    package func leastBitRate(of frames: some Sequence<(time: Int64, byteCount: Int)>) -> Double {
        guard isComplete, segmentCount > 0 else { return 0 }
        var byteCounts = [Int](repeating: 0, count: segmentCount)
        var index = 0
        for frame in frames {
            while index + 1 < segmentCount, frame.time >= boundaries[index + 1].time { index += 1 }
            byteCounts[index] += frame.byteCount
        }
        return byteCounts.indices.compactMap { index in
            let length = timeBase.seconds((endTime(of: index) ?? 0) - boundaries[index].time)
            return length > 0 ? Double(byteCounts[index]) * 8 / length : nil
        }.min() ?? 0
    }
}
