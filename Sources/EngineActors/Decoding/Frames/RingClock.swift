// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Tracks the generation of frames that a ring accepts, and the playhead in it. Pure.
struct RingClock {
    /// The renderer's generation. The ring counts its own in `epoch`, which never decreases.
    private var generation: UInt64?
    /// Counts flushes.
    private(set) var epoch: UInt64 = 0
    /// Whether the generation has no more frames.
    private(set) var hasEnded = false
    private(set) var anchor: PositionAnchor?

    func isCurrent(_ generation: UInt64) -> Bool { generation == self.generation }

    var isStill: Bool { anchor?.rate == 0 }

    /// When a frame is due; `nil` if that is unknown.
    func moment(of time: MediaTime) -> Int64? { anchor?.moment(of: time) }

    mutating func flush(to generation: UInt64) {
        self.generation = generation
        epoch &+= 1
        hasEnded = false
        anchor = nil
    }

    /// - Returns: whether the anchor belongs to the current generation. Others have no effect.
    mutating func follow(_ anchor: PositionAnchor, _ generation: UInt64) -> Bool {
        guard isCurrent(generation) else { return false }
        self.anchor = anchor
        return true
    }

    /// - Returns: whether the current generation ends. The end of others has no effect.
    mutating func finish(_ generation: UInt64) -> Bool {
        guard isCurrent(generation) else { return false }
        hasEnded = true
        return true
    }
}
