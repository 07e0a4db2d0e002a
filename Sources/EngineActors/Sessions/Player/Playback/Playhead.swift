// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The position of a session in its source, and how far it can play from there. A plain value: callers pass the current
/// time, and the time at which the playhead began to move.
struct Playhead: Sendable {
    /// The position at rest, or the position at which the playhead began to move.
    private(set) var position: MediaTime
    /// The actual rate while the playhead moves: the requested rate, or the renderer's.
    private(set) var movingRate = 1.0
    /// The rate that was requested last.
    var requestedRate = 1.0
    private(set) var duration: MediaTime?
    /// Whether a renderer moves the playhead.
    private(set) var hasRenderer = false
    /// The end of the media that is available without gaps from the playhead on.
    private var available: MediaTime
    /// The media that is available without gaps from the target of the next turn. It lets a loop continue without
    /// buffering.
    private var availableAtTurn: MediaTimeRange?
    /// Whether playback continues at the start when it reaches the end.
    var isLooping = false
    /// The part of the timeline that is repeated.
    private(set) var loopPoints: LoopPoints?

    /// A jump back while playback continues: at the end of the source, or of the repeated part.
    struct Turn: Hashable {
        let place: MediaTime
        let target: MediaTime
    }

    init(at position: MediaTime) {
        self.position = position
        available = position
    }

    // MARK: Where it is

    /// - Parameter since: when the playhead was at `position` and began to move; `nil` at rest.
    func place(since: Int64?, at now: Int64) -> MediaTime {
        guard let since else { return position }
        let moved = MediaTime(microseconds: Int64(clamping: Double(now - since) / 1000 * movingRate))
        return min(position + moved, limit)
    }

    func anchor(since: Int64?, at now: Int64) -> PositionAnchor {
        PositionAnchor(
            position: position,
            rate: since == nil ? 0 : movingRate,
            monotonicNanoseconds: since ?? now,
            requestedRate: requestedRate
        )
    }

    /// When the playhead reaches `goal`. `nil` while it does not move.
    func arrival(since: Int64?) -> Int64? { goal.flatMap { anchor(since: since, at: 0).arrival(at: $0) } }

    /// The farthest position that the playhead can have reached since its last known position.
    var limit: MediaTime {
        if hasRenderer { return duration ?? .init(microseconds: .max) }
        return [available, duration, repetition?.place].compactMap(\.self).min() ?? available
    }

    /// The next position at which the state changes: the end of the available media, the end of the source, or the next
    /// turn. With a renderer, only the end of the repeated part counts: it fetches its own media and reports the end of
    /// the source itself.
    var goal: MediaTime? { hasRenderer ? repetition?.place : limit }

    /// The turn at the end of the part that is repeated. `nil` once the playhead is past it.
    private var repetition: Turn? {
        guard let loopPoints, let end = loopPoints.end, position < end, loopPoints.start < duration ?? end else {
            return nil
        }
        return Turn(place: duration.map { min($0, end) } ?? end, target: loopPoints.start)
    }

    /// The next turn if playback continues from here. `nil` if there is none, or if its position is not known yet.
    var turn: Turn? {
        if let repetition { return repetition }
        guard isLooping, let duration, duration > .zero else { return nil }
        return Turn(place: duration, target: .zero)
    }

    /// Whether the renderer's report shows that it has played past the end of the repeated part. `false` if its user
    /// moved it past that end: then its computed position, `expected`, is more than a second before the end.
    func hasPassedTurn(_ report: RendererReport, expected: MediaTime) -> Bool {
        guard let repetition, report.hasEnded || report.position >= repetition.place && report.rate > 0 else {
            return false
        }
        return expected + .seconds(1) >= repetition.place
    }

    var isAtEnd: Bool { duration.map { position >= $0 } ?? false }

    /// Whether the last half second of the source has begun. Also `true` while the end is not known.
    var isNearEnd: Bool { duration.map { position + .seconds(0.5) >= $0 } ?? true }

    /// Whether there is media to play from here.
    var hasMedia: Bool { available > position }

    /// Whether no media is missing here: the next part is available, or this is the end.
    var isSupplied: Bool { available > position || isAtEnd }

    /// `target`, clamped to the known part of the timeline.
    func clamped(_ target: MediaTime) -> MediaTime {
        max(.zero, duration.map { min(target, $0) } ?? target)
    }

    // MARK: Changes

    /// Sets `position` to where the playhead is now.
    mutating func settle(since: Int64?, at now: Int64) { position = place(since: since, at: now) }

    /// Moves to `target`, where no media is known to be available.
    mutating func jump(to target: MediaTime) {
        position = target
        available = target
    }

    /// Another source begins at `start`.
    mutating func reopen(at start: MediaTime) {
        jump(to: start)
        availableAtTurn = nil
        loopPoints = nil
        duration = nil
    }

    /// - Returns: whether the playhead was beyond the end, which was not known before, and was moved back to it.
    mutating func setDuration(_ duration: MediaTime?) -> Bool {
        self.duration = duration
        guard let duration, position > duration else { return false }
        jump(to: duration)
        return true
    }

    /// Media is available without gaps from the playhead to `end`.
    mutating func supply(to end: MediaTime) { available = max(position, end) }

    /// Media is available without gaps in `range`, at the target of the next turn.
    mutating func supplyTurn(_ range: MediaTimeRange) { availableAtTurn = range }

    /// Repeats the part of the timeline between `points` from now on; `nil` ends the repetition.
    mutating func repeating(_ points: LoopPoints?) { loopPoints = points }

    /// Continues at the target of a turn, over the media that is available there.
    mutating func take(_ turn: Turn) {
        position = turn.target
        available = availableAtTurn.flatMap { $0.start == turn.target ? $0.end : nil } ?? turn.target
    }

    /// The playhead starts or continues to move, at the requested rate.
    mutating func takeRequestedRate() { movingRate = requestedRate }

    // MARK: The renderer

    mutating func takeRenderer() { hasRenderer = true }

    /// The virtual clock moves the playhead from now on. Media that the renderer had buffered is not available to it.
    mutating func leaveRenderer() {
        hasRenderer = false
        available = position
    }

    /// Takes over the position and the rate that the renderer reported.
    mutating func report(_ place: MediaTime, rate: Double) {
        position = clamped(place)
        movingRate = rate
    }
}

extension PositionAnchor {
    /// One day, in nanoseconds. At the slowest rates the true wait exceeds the range of a clock.
    private static let longestWait = 86_400e9

    /// When the playhead reaches `place`, unless it stops or is moved before. `nil` while it does not move.
    func arrival(at place: MediaTime) -> Int64? {
        guard rate > 0 else { return nil }
        let distance = Double((place - position).microseconds)
        return monotonicNanoseconds + Int64(min(max(0, distance) / rate * 1000, Self.longestWait)) + 1000
    }
}

extension Int64 {
    /// Converts a number that is not NaN, saturating at the bounds of 64 bits.
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value)
    }
}
