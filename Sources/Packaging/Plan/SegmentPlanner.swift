// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Chooses segment boundaries from keyframes in one pass. The result is the same for a complete index and for a scan
/// that finds keyframes one by one.
///
/// A boundary is the first keyframe at or after the next line of an absolute grid (`target` apart, counted from the
/// first keyframe), at least `minimum` after the previous boundary. It is published only once something at least
/// `tail` later is known, so that a short tail can still join the last segment. Published boundaries are never
/// withdrawn.
package struct SegmentPlanner: Sendable {
    package struct Limits: Hashable, Sendable {
        /// Ticks between grid lines.
        package var target: Int64
        /// The minimum segment duration. Only these segments may be shorter: a single one, those next to a `cut`, and
        /// the last one if `tail` is shorter.
        package var minimum: Int64
        /// How much must follow a boundary before it is published: `minimum`, unless that would delay parts.
        package var tail: Int64
        /// A segment is cut at a keyframe before the grid line if it would otherwise exceed this many bytes.
        package var byteCount: Int64
        /// Minimum ticks between keyframes for trick play.
        package var trickPlayInterval: Int64

        /// - Parameter joinsTail: whether a tail shorter than `minimum` joins the last segment.
        package init(target: MediaTime, timeBase: TimeBase, byteCount: Int64 = 32 << 20, joinsTail: Bool = true) {
            self.target = max(1, target.ticks(in: timeBase))
            minimum = max(1, self.target / 4)
            tail = joinsTail ? minimum : 1
            self.byteCount = byteCount
            trickPlayInterval = max(1, SegmentPlan.trickPlayInterval.ticks(in: timeBase))
        }
    }

    private let limits: Limits
    /// Published boundaries, in order.
    package private(set) var boundaries: [Keyframe] = []
    /// Every keyframe added so far, chosen or not.
    package private(set) var keyframes = KeyframeTimes()
    /// The keyframes for trick play. Keyframes are only ever added.
    package private(set) var trickPlayKeyframes: [Keyframe] = []
    /// Chosen, but not published: a short tail may still cancel it.
    private var pending: Keyframe?
    /// The latest keyframe since the last choice that is at least `minimum` after it, and was not chosen.
    private var passedOver: Keyframe?
    private var latest = Int64.min

    package init(limits: Limits) { self.limits = limits }

    /// Whether a boundary is known that is not published yet.
    package var isEnding: Bool { pending != nil }

    /// Adds the next keyframe in presentation order. A keyframe that is not later than the last is ignored.
    package mutating func add(_ keyframe: Keyframe) {
        guard keyframe.time > latest else { return }
        latest = keyframe.time
        note(keyframe)
        guard let first = boundaries.first else {
            boundaries.append(keyframe)
            return
        }
        confirmPending(knownUntil: keyframe.time)
        var last = pending ?? boundaries[boundaries.count - 1]
        if let earlier = passedOver, keyframe.position - last.position > limits.byteCount {
            choose(earlier)
            last = earlier
            confirmPending(knownUntil: keyframe.time)
        }
        guard keyframe.time - last.time >= limits.minimum else { return }
        let linesPassed = (last.time - first.time) / limits.target
        if keyframe.time >= first.time + (linesPassed + 1) * limits.target {
            choose(keyframe)
        } else {
            passedOver = keyframe
        }
    }

    /// Reports that the leading track extends at least to `time`. A pending boundary that is far enough before it is
    /// published without waiting for the next keyframe.
    package mutating func reach(_ time: Int64) { confirmPending(knownUntil: time) }

    /// Completes the plan at `end`, the end of the leading track.
    package mutating func finish(end: Int64) {
        confirmPending(knownUntil: end)
        pending = nil
    }

    /// Cuts at a keyframe regardless of the grid, because the media after it needs a different configuration.
    ///
    /// - Returns: the index of the segment that it starts; `nil` if the keyframe is not later than the last one.
    package mutating func cut(at keyframe: Keyframe) -> Int? {
        guard keyframe.time > latest else { return nil }
        latest = keyframe.time
        note(keyframe)
        confirmPending(knownUntil: keyframe.time)
        // A pending boundary closer than the minimum would start a sliver.
        pending = nil
        passedOver = nil
        boundaries.append(keyframe)
        return boundaries.count - 1
    }

    private mutating func note(_ keyframe: Keyframe) {
        keyframes.append(keyframe.time)
        if let last = trickPlayKeyframes.last, keyframe.time &- last.time < limits.trickPlayInterval { return }
        guard trickPlayKeyframes.count < SegmentPlan.trickPlayLimit else { return }
        trickPlayKeyframes.append(keyframe)
    }

    private mutating func confirmPending(knownUntil time: Int64) {
        guard let boundary = pending, time - boundary.time >= limits.tail else { return }
        boundaries.append(boundary)
        pending = nil
    }

    private mutating func choose(_ keyframe: Keyframe) {
        if let boundary = pending { boundaries.append(boundary) }
        pending = keyframe
        passedOver = nil
    }
}

extension SegmentPlan {
    /// A complete plan from a complete list of keyframes.
    ///
    /// - Parameter configuration: returns the codec private data that applies at a keyframe; `nil` if it does not
    ///   change there.
    package init(
        keyframes: [Keyframe],
        end: Int64,
        limits: SegmentPlanner.Limits,
        timeBase: TimeBase,
        origin: PlanOrigin,
        configuration: (Keyframe) -> [UInt8]? = { _ in nil }
    ) {
        var planner = SegmentPlanner(limits: limits)
        var changes: [ConfigurationChange] = []
        var current: [UInt8]?
        for keyframe in keyframes {
            let next = configuration(keyframe) ?? current
            if let current, let next, next != current, let segment = planner.cut(at: keyframe) {
                changes.append(ConfigurationChange(firstSegment: segment, privateData: next))
            } else {
                planner.add(keyframe)
            }
            current = next
        }
        planner.finish(end: end)
        self.init(
            timeBase: timeBase,
            boundaries: planner.boundaries,
            end: end,
            origin: origin,
            changes: changes,
            keyframes: planner.keyframes,
            trickPlayKeyframes: planner.trickPlayKeyframes
        )
    }
}
