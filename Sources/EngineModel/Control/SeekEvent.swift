// SPDX-License-Identifier: Apache-2.0

/// The progress of a seek. A seek begins or is rejected; a seek that has begun lands or is superseded, and may stall
/// first. A seek that is requested while the source is being opened begins once the source is open, or is superseded
/// before that.
public struct SeekEvent: Hashable, Sendable {
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        case began
        /// The playhead is at the target, and media is available there; with a renderer, the renderer has carried out
        /// the seek.
        case landed
        /// The seek takes longer than it should; it may still land.
        case stalled
        /// Another seek, a load, a stop or a failure came before the seek landed.
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
