// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides how a session gets closer to the live edge. Pure; asked whenever the edge has moved.
///
/// A user who has gone back is left alone until playback is near the edge again, and so is one who has chosen a rate.
struct LiveChase: Sendable {
    /// What is known at one moment.
    struct Look: Sendable {
        /// How far the playhead is behind the edge.
        var latency: MediaTime
        /// How far it should be.
        var target: MediaTime
        /// The requested rate.
        var rate: Double
        /// Whether the playhead moves, or would if there were media.
        var isPlaying: Bool
    }

    enum Action: Hashable, Sendable {
        case none
        case rate(Double)
        /// A seek to the target latency.
        case seek
    }

    /// What is farther behind the edge is chased, and what is as close as `cutoff` is not any more. Both move with the target
    /// latency, where that is longer.
    static let catchUp = MediaTime.seconds(10)
    static let cutoff = MediaTime.seconds(5)
    /// The rate of `speed`.
    static let speed = 1.1
    /// The rates of `precise`: small enough that nobody hears them.
    static let precise = 0.97...1.03
    /// Of the distance to the target latency, `precise` makes up a fiftieth in each second.
    private static let gain = 0.02
    /// `precise` changes the rate in steps of a hundredth.
    private static let steps = 100.0

    let mode: ChaseMode
    /// The rate that this has set.
    private var own = 1.0
    private var isChasing = false
    /// Whether the user has gone back.
    private var isHeld = false

    init(_ mode: ChaseMode) { self.mode = mode }

    /// The user has moved the playhead to somewhere so far behind the edge.
    mutating func moved(to latency: MediaTime, target: MediaTime) {
        isHeld = latency > Self.start(target)
        isChasing = false
    }

    /// The edge has moved. `nil`: the source is not live any more.
    mutating func update(_ look: Look?) -> Action {
        guard mode != .off else { return .none }
        guard let look else { return set(1, own) }
        // The user has chosen another rate.
        guard look.rate == own || look.rate == 1 else {
            (own, isChasing) = (1, false)
            return .none
        }
        own = look.rate
        if look.latency <= Self.start(look.target) { isHeld = false }
        guard look.isPlaying, !isHeld else { return set(1, look.rate) }
        if look.latency > Self.start(look.target) { isChasing = true }
        if look.latency <= max(Self.cutoff, look.target) { isChasing = false }
        switch mode {
        case .off: return .none
        case .skip: return isChasing ? skip(look.rate) : .none
        case .speed: return set(isChasing ? Self.speed : 1, look.rate)
        case .precise:
            if look.latency > Self.start(look.target) { return skip(look.rate) }
            let wanted = 1 + (look.latency - look.target).seconds * Self.gain
            let bounded = min(max(wanted, Self.precise.lowerBound), Self.precise.upperBound)
            return set((bounded * Self.steps).rounded() / Self.steps, look.rate)
        }
    }

    /// The latency from which on playback is chased.
    private static func start(_ target: MediaTime) -> MediaTime { max(catchUp, target + cutoff) }

    private mutating func skip(_ rate: Double) -> Action {
        isChasing = false
        return .seek
    }

    private mutating func set(_ wanted: Double, _ rate: Double) -> Action {
        own = wanted
        return wanted == rate ? .none : .rate(wanted)
    }
}
