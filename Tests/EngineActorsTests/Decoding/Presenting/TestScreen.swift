// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime

@testable import Decoding

/// Shows frames as a display would: each when the playhead reaches it. If the sink is not real-time, it only records
/// them.
final class TestScreen: FrameSink {
    struct Shown: Hashable, Sendable {
        let time: MediaTime
        let generation: UInt64
    }

    private struct State {
        var generation: UInt64 = 0
        var waiting: [TimedFrame] = []
        var given: [Shown] = []
        var anchor: PositionAnchor?
        var anchors: [PositionAnchor] = []
        var finished: UInt64?
    }

    let isRealTime: Bool
    private let capacity: Int
    private let state = Locked(State())
    private let room = ChangeSignal()

    init(isRealTime: Bool = true, capacity: Int = 4) {
        self.isRealTime = isRealTime
        self.capacity = capacity
    }

    var given: [Shown] { state.withLock { $0.given } }
    var anchor: PositionAnchor? { state.withLock { $0.anchor } }
    var anchors: [PositionAnchor] { state.withLock { $0.anchors } }
    var generation: UInt64 { state.withLock { $0.generation } }
    var isFinished: Bool { state.withLock { $0.finished == $0.generation } }

    /// The last frame at or before `position`; `nil` if there is none.
    func frame(at position: MediaTime) -> Shown? {
        state.withLock { state in
            state.waiting.last { $0.time <= position }.map { Shown(time: $0.time, generation: state.generation) }
        }
    }

    func take(_ timed: TimedFrame, generation: UInt64) async -> Reception {
        while isRealTime {
            let seen = room.signalCount
            let now = monotonicNanoseconds()
            let (isCurrent, wait) = state.withLock { state -> (Bool, Int64) in
                if let anchor = state.anchor {
                    let position = anchor.position(at: now)
                    while state.waiting.count > 1, state.waiting[1].time <= position { state.waiting.removeFirst() }
                }
                guard generation == state.generation else { return (false, 0) }
                return (true, state.waiting.count < capacity ? 0 : 2_000_000)
            }
            guard isCurrent else { return .dropped }
            if wait == 0 { break }
            await room.wait(after: seen, until: monotonicNanoseconds() + wait)
            if Task.isCancelled { return .dropped }
        }
        return state.withLock { state in
            guard generation == state.generation else { return .dropped }
            if isRealTime { state.waiting.append(timed) }
            state.given.append(Shown(time: timed.time, generation: generation))
            return .taken
        }
    }

    func flush(to generation: UInt64) {
        state.withLock { state in
            state.generation = generation
            state.waiting = []
        }
        room.signal()
    }

    func follow(_ anchor: PositionAnchor, generation: UInt64) {
        state.withLock { state in
            state.anchor = anchor
            state.anchors.append(anchor)
        }
        room.signal()
    }

    func finish(generation: UInt64) { state.withLock { $0.finished = generation } }
}
