// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import EngineRuntime

extension PositionAnchor {
    /// The current position of the playhead (CLOCK_MONOTONIC), not clamped to the timeline.
    public var now: MediaTime { position(at: EngineRuntime.monotonicNanoseconds()) }
}
