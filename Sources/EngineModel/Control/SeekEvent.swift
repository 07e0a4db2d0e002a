// SPDX-License-Identifier: Apache-2.0

/// What became of a seek. Every seek begins or is rejected; one that began lands or is superseded, and may stall before.
public struct SeekEvent: Hashable, Sendable {
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        case began
        /// The playhead is there and media with it.
        case landed
        /// It takes longer than it should; it may still land.
        case stalled
        /// Another seek, a load or a stop came before it landed.
        case superseded
        /// The session cannot seek at all as it stands.
        case rejected
    }

    /// One number a seek, rising, the same in all its events.
    public var id: UInt64
    public var stage: Stage
    /// Where it goes, clamped to the timeline.
    public var target: MediaTime

    public init(id: UInt64, stage: Stage, target: MediaTime) {
        self.id = id
        self.stage = stage
        self.target = target
    }
}
