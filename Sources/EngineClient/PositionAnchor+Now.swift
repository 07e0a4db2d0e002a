// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import EngineRuntime

extension PositionAnchor {
    /// The position of the playhead at the current time of CLOCK_MONOTONIC, not clamped to the timeline.
    public var now: MediaTime { position(at: EngineRuntime.monotonicNanoseconds()) }
}
