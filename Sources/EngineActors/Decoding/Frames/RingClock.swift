// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Tracks the generations of frames that a ring accepts, and the playhead in the last one. Pure.
struct RingClock {
    /// The renderer's generations since the latest flush: one, and one more for each lap that followed without a flush.
    /// The ring counts its own in `epoch`, which never decreases.
    private var generations: ClosedRange<UInt64>?
    /// Counts flushes.
    private(set) var epoch: UInt64 = 0
    /// Whether the generation has no more frames.
    private(set) var hasEnded = false
    private(set) var anchor: PositionAnchor?

    /// Whether frames of `generation` are accepted.
    func isCurrent(_ generation: UInt64) -> Bool { generations?.contains(generation) ?? false }

    private func isLast(_ generation: UInt64) -> Bool { generation == generations?.upperBound }

    var isStill: Bool { anchor?.rate == 0 }

    /// When a frame is due; `nil` if that is unknown.
    func moment(of time: MediaTime) -> Int64? { anchor?.moment(of: time) }

    mutating func flush(to generation: UInt64) {
        generations = generation...generation
        epoch &+= 1
        hasEnded = false
        anchor = nil
    }

    /// Accepts frames of `generation` beside those of the generations since the latest flush.
    mutating func beginLap(_ generation: UInt64) {
        guard let first = generations?.lowerBound, first < generation else { return flush(to: generation) }
        generations = first...generation
        hasEnded = false
    }

    /// - Returns: whether the anchor belongs to the last generation. Others have no effect.
    mutating func follow(_ anchor: PositionAnchor, _ generation: UInt64) -> Bool {
        guard isLast(generation) else { return false }
        self.anchor = anchor
        return true
    }

    /// - Returns: whether the last generation ends. The end of others has no effect.
    mutating func finish(_ generation: UInt64) -> Bool {
        guard isLast(generation) else { return false }
        hasEnded = true
        return true
    }
}
