// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension PositionAnchor {
    /// The moment at which the playhead reaches `time`, in nanoseconds of the monotonic clock; `Int64.min` if it
    /// already has. `nil` if the playhead stands still before `time`, or needs 10^15 ns or more to reach it.
    func moment(of time: MediaTime) -> Int64? {
        let distance = Double(time.microseconds &- position.microseconds)
        if distance <= 0 { return .min }
        guard rate > 0 else { return nil }
        let nanoseconds = distance * 1000 / rate
        return nanoseconds < 1e15 ? monotonicNanoseconds &+ Int64(nanoseconds) : nil
    }
}
