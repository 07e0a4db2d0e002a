// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension PositionAnchor {
    /// When the playhead comes to `time`, on the monotonic clock: in the past where it has been there. `nil` when it stands
    /// before it.
    func moment(of time: MediaTime) -> Int64? {
        let distance = Double(time.microseconds &- position.microseconds)
        if distance <= 0 { return .min }
        guard rate > 0 else { return nil }
        let nanoseconds = distance * 1000 / rate
        return nanoseconds < 1e15 ? monotonicNanoseconds &+ Int64(nanoseconds) : nil
    }
}
