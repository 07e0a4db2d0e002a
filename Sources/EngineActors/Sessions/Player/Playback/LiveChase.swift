// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides how a session gets closer to the live edge. Pure; `update` is called whenever the edge has moved.
///
/// Does not chase while the user has chosen a rate. After the user has sought back, does not chase until playback is
/// near the edge again.
struct LiveChase: Sendable {
    /// The state of playback at one moment.
    struct Observation: Sendable {
        /// How far the playhead is behind the edge.
        var latency: MediaTime
        /// The target latency.
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

    /// Chasing starts above the latency `catchUp` and stops at `cutoff`. If the target latency is longer than `cutoff`,
    /// chasing starts `cutoff` above the target and stops at the target.
    static let catchUp = MediaTime.seconds(10)
    static let cutoff = MediaTime.seconds(5)
    /// The rate of `speed`.
    static let speed = 1.1
    /// The rates of `precise`, too close to 1 to be heard.
    static let precise = 0.97...1.03
    /// `precise` corrects a fiftieth of the distance to the target latency in each second.
    private static let gain = 0.02
    /// `precise` changes the rate in steps of 1/100.
    private static let steps = 100.0

    let mode: ChaseMode
    /// The rate that the last action set; 1 once another rate has been requested.
    private var own = 1.0
    private var isChasing = false
    /// Whether the user has sought back, and playback has not been near the edge since.
    private var isHeld = false

    init(_ mode: ChaseMode) { self.mode = mode }

    /// The user has sought to a position with this latency.
    mutating func moved(to latency: MediaTime, target: MediaTime) {
        isHeld = latency > Self.start(target)
        isChasing = false
    }

    /// The edge has moved.
    ///
    /// - Parameter observation: `nil` if the source is no longer live.
    mutating func update(_ observation: Observation?) -> Action {
        guard mode != .off else { return .none }
        guard let observation else { return set(1, own) }
        // The user has chosen another rate.
        guard observation.rate == own || observation.rate == 1 else {
            (own, isChasing) = (1, false)
            return .none
        }
        own = observation.rate
        if observation.latency <= Self.start(observation.target) { isHeld = false }
        guard observation.isPlaying, !isHeld else { return set(1, observation.rate) }
        if observation.latency > Self.start(observation.target) { isChasing = true }
        if observation.latency <= max(Self.cutoff, observation.target) { isChasing = false }
        switch mode {
        case .off: return .none
        case .skip: return isChasing ? skip() : .none
        case .speed: return set(isChasing ? Self.speed : 1, observation.rate)
        case .precise:
            if observation.latency > Self.start(observation.target) { return skip() }
            let wanted = 1 + (observation.latency - observation.target).seconds * Self.gain
            let bounded = min(max(wanted, Self.precise.lowerBound), Self.precise.upperBound)
            return set((bounded * Self.steps).rounded() / Self.steps, observation.rate)
        }
    }

    /// The latency above which a chase starts.
    private static func start(_ target: MediaTime) -> MediaTime { max(catchUp, target + cutoff) }

    private mutating func skip() -> Action {
        isChasing = false
        return .seek
    }

    private mutating func set(_ wanted: Double, _ rate: Double) -> Action {
        own = wanted
        return wanted == rate ? .none : .rate(wanted)
    }
}

extension LiveChase.Observation {
    /// - Parameter live: the state of the source at the playhead of `machine`.
    init(_ live: LiveState, playedBy machine: PlayerStateMachine) {
        latency = live.latency
        target = live.targetLatency
        rate = machine.requestedRate
        isPlaying = machine.wantsToPlay
    }
}
