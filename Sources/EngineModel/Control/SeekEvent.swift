// SPDX-License-Identifier: Apache-2.0

/// The progress of a seek. Every seek begins or is rejected; a seek that began lands or is superseded, and may stall
/// first.
public struct SeekEvent: Hashable, Sendable {
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        case began
        /// The playhead has reached the target, and media is available there.
        case landed
        /// The seek takes longer than it should; it may still land.
        case stalled
        /// Another seek, a load or a stop arrived before this seek landed.
        case superseded
        /// The session cannot seek in its current state.
        case rejected
    }

    /// A rising number per seek, the same in all its events.
    public var id: UInt64
    public var stage: Stage
    /// The target position, clamped to the timeline.
    public var target: MediaTime

    public init(id: UInt64, stage: Stage, target: MediaTime) {
        self.id = id
        self.stage = stage
        self.target = target
    }
}
