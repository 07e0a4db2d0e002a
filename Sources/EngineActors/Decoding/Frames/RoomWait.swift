// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides what happens to a frame for which a ring has no slot. Pure.
struct RoomWait {
    enum Verdict: Hashable {
        /// The caller asks again after a signal, or at this moment.
        case wait(until: Int64?)
        case drop
        /// Other sinks have waited too long for this front-end.
        case stalled
    }

    private enum State {
        case idle
        case waiting(since: Int64)
        /// A frame was dropped for lack of room, and no room has been found since.
        case dropping
    }

    /// How long a front-end that wants every frame may take none while other sinks wait for it, in nanoseconds.
    static let patience: Int64 = 10_000_000_000
    /// How long the ring polls for room while the playhead stands still, and how often, in nanoseconds.
    private static let pollDuration: Int64 = 2_000_000_000
    private static let pollInterval: Int64 = 10_000_000

    private let pace: FramePace
    private var isAwaited = false
    private var state = State.idle

    init(_ pace: FramePace) { self.pace = pace }

    /// Sets whether other sinks of the same playback wait for this one.
    mutating func setAwaited(_ isAwaited: Bool) {
        self.isAwaited = isAwaited
        if case .waiting = state { state = .idle }
    }

    /// Must be called when a slot is free, or when the frames in the slots are obsolete.
    mutating func end() { state = .idle }

    /// Whether frames wait for a display that shows them in time.
    var isForDisplay: Bool {
        if case .dropping = state { false } else { pace == .realTime }
    }

    /// - Parameters:
    ///   - moment: when the frame is due; `nil` if no moment is known or the playhead stands still before it.
    ///   - isStill: whether the playhead stands still.
    mutating func decide(_ moment: Int64?, isStill: Bool, at now: Int64) -> Verdict {
        guard pace == .realTime else { return stall(at: now) }
        if isForDisplay {
            if moment.map({ $0 > now }) ?? true { return .wait(until: moment) }
            if isStill { return poll(at: now) }
        }
        state = .dropping
        return .drop
    }

    /// While the playhead stands still, no frame is late: the frame at the playhead is shown until playback continues.
    /// A display that reads at every refresh need not send a message when it releases a slot, so the ring polls for
    /// room, for a limited time.
    private mutating func poll(at now: Int64) -> Verdict {
        let since = start(at: now)
        return .wait(until: now < since + Self.pollDuration ? now + Self.pollInterval : nil)
    }

    private mutating func stall(at now: Int64) -> Verdict {
        guard isAwaited else { return .wait(until: nil) }
        let since = start(at: now)
        return now < since + Self.patience ? .wait(until: since + Self.patience) : .stalled
    }

    /// The moment at which waiting began.
    private mutating func start(at now: Int64) -> Int64 {
        if case .waiting(let since) = state { return since }
        state = .waiting(since: now)
        return now
    }
}
