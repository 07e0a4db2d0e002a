// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Testing

@testable import Decoding

@Suite("Slots of a frame ring", .timeLimit(.minutes(10)))
struct FrameRingStateTests {
    private static func ring(_ pace: FramePace = .realTime) throws -> FrameRingState {
        var state = FrameRingState(try FrameRingMemory(slotCount: 3, frameBytes: 100), wish: 3, pace: pace)
        state.flush(to: 7)
        return state
    }

    private static func anchor(_ seconds: Double, rate: Double = 1, at now: Int64 = 0) -> PositionAnchor {
        PositionAnchor(position: .seconds(seconds), rate: rate, monotonicNanoseconds: now, requestedRate: 1)
    }

    /// Releases the frame in a slot, as a front-end would.
    private static func release(_ slot: Int, _ sequence: UInt64, in state: FrameRingState) {
        state.memory.control.storeReleasing(sequence, at: FrameLayout.Control.released + slot * 8)
    }

    @discardableResult
    private static func fill(_ state: inout FrameRingState, _ count: Int = 3) throws -> [Int] {
        var slots: [Int] = []
        for index in 0..<count {
            guard case .write(let reservation) = state.decide(.seconds(Double(index)), 7, at: 0) else { break }
            let reception = state.publish(reservation)
            #expect(reception == .taken)
            slots.append(reservation.slot)
        }
        return slots
    }

    @Test("each frame gets its own slot, until no slot is left")
    func slotsOfTheirOwn() throws {
        var state = try Self.ring()
        let slots = try Self.fill(&state, 5)
        #expect(slots == [0, 1, 2])
        #expect(state.memory.ring.loadAcquiring(at: FrameLayout.Header.published) == 3)
        guard case .wait(let moment) = state.decide(.seconds(9), 7, at: 0) else {
            Issue.record("it must wait")
            return
        }
        #expect(moment == nil)
    }

    @Test("a front-end holds no more frames than it requested, and that many slots are not lent to decoders")
    func wish() throws {
        var state = FrameRingState(try FrameRingMemory(slotCount: 3, frameBytes: 100), wish: 2, pace: .everyFrame)
        state.flush(to: 7)
        var other = FrameRingState(try FrameRingMemory(slotCount: 3, frameBytes: 100), wish: 2, pace: .everyFrame)
        let lent = (other.lend(100), other.lend(100))
        #expect(lent.0 != nil && lent.1 == nil)
        #expect(try Self.fill(&state).count == 2)
    }

    @Test("a slot is freed only when the front-end names the frame in it")
    func released() throws {
        for lie in [0, 1, 2, 4, 99, UInt64.max] {
            var state = try Self.ring(.everyFrame)
            try Self.fill(&state)
            Self.release(2, lie, in: state)
            guard case .wait = state.decide(.seconds(4), 7, at: 0) else {
                Issue.record("\(lie) is no frame in that slot")
                continue
            }
            Self.release(2, 3, in: state)
            guard case .write(let reservation) = state.decide(.seconds(4), 7, at: 0) else {
                Issue.record("the slot is free")
                continue
            }
            #expect(reservation.slot == 2)
        }
    }

    @Test("without room, a frame waits until it is due and is then dropped; later frames are dropped at once")
    func leftOut() throws {
        var state = try Self.ring()
        let isFollowed = state.follow(Self.anchor(0), 7)
        #expect(isFollowed)
        try Self.fill(&state)
        guard case .wait(until: 4_000_000_000) = state.decide(.seconds(4), 7, at: 0) else {
            Issue.record("there is time until 4 s")
            return
        }
        for time in [4.0, 5, 6] {
            guard case .answer(.dropped) = state.decide(.seconds(time), 7, at: 4_000_000_000) else {
                Issue.record("there is no room for \(time)")
                return
            }
        }
        #expect(state.memory.ring.loadAcquiring(at: FrameLayout.Header.dropped) == 3)
        Self.release(0, 1, in: state)
        guard case .write = state.decide(.seconds(7), 7, at: 4_000_000_000) else {
            Issue.record("there is room again")
            return
        }
    }

    @Test(
        "while the playhead stands still, a frame waits indefinitely",
        arguments: [FramePace.realTime, .everyFrame]
    )
    func stands(pace: FramePace) throws {
        var state = try Self.ring(pace)
        let isFollowed = state.follow(Self.anchor(0, rate: 0), 7)
        #expect(isFollowed)
        try Self.fill(&state)
        guard case .wait(until: nil) = state.decide(.seconds(4), 7, at: 1 << 60) else {
            Issue.record("nothing is due")
            return
        }
    }

    @Test("the first frame after a seek waits for slots of frames from before the seek", arguments: [false, true])
    func landed(wasStalled: Bool) throws {
        var state = try Self.ring()
        _ = state.follow(Self.anchor(0), 7)
        try Self.fill(&state)
        if wasStalled { _ = state.decide(.seconds(4), 7, at: 5_000_000_000) }
        state.flush(to: 8)
        _ = state.follow(Self.anchor(20, rate: 0), 8)
        guard case .wait(until: 6_010_000_000) = state.decide(.seconds(19.98), 8, at: 6_000_000_000),
            case .wait(until: nil) = state.decide(.seconds(19.98), 8, at: 9_000_000_000)
        else {
            Issue.record("it is seen for as long as the playhead stands")
            return
        }
        Self.release(1, 2, in: state)
        guard case .write = state.decide(.seconds(19.98), 8, at: 6_000_000_000) else {
            Issue.record("there is room")
            return
        }
    }

    @Test("a frame that was begun before a flush is not published; the front-end keeps the frames that it holds")
    func flush() throws {
        var state = try Self.ring()
        try Self.fill(&state, 2)
        guard case .write(let reservation) = state.decide(.seconds(2), 7, at: 0) else {
            Issue.record("there is room")
            return
        }
        state.flush(to: 3)
        let late = state.publish(reservation)
        #expect(late == .dropped)
        guard case .answer(.dropped) = state.decide(.seconds(2), 7, at: 0) else {
            Issue.record("7 is over")
            return
        }
        guard case .write(let next) = state.decide(.seconds(2), 3, at: 0) else {
            Issue.record("there is room")
            return
        }
        #expect(next.slot == 2)
        let reception = state.publish(next)
        #expect(reception == .taken)
        #expect(state.memory.ring.loadAcquiring(at: FrameLayout.Header.generation) == 2)
        let isOldFollowed = state.follow(Self.anchor(0), 7)
        let isOldFinished = state.finish(7)
        #expect(!isOldFollowed && !isOldFinished)
    }

    @Test("larger memory replaces the old memory, whose frames stay readable")
    func grows() throws {
        var state = try Self.ring()
        try Self.fill(&state)
        let old = state.memory
        state.replace(with: try FrameRingMemory(slotCount: 3, frameBytes: 10_000))
        #expect(old.ring.loadAcquiring(UInt32.self, at: FrameLayout.Header.isRetired) == 1)
        #expect(old.ring.loadAcquiring(at: old.headerOffset(of: 1)) == 2)
        let slots = try Self.fill(&state)
        #expect(slots == [0, 1, 2])
        #expect(state.memory.ring.loadAcquiring(at: FrameLayout.Header.published) == 6)
        #expect(state.memory.ring.loadAcquiring(at: FrameLayout.Header.generation) == 1)
    }

    @Test("larger memory waits until a display has seen the frames in the old memory, or the new frame is due")
    func growsInTime() throws {
        var state = try Self.ring()
        _ = state.follow(Self.anchor(0), 7)
        try Self.fill(&state)
        let wait = state.decideChange(for: .seconds(3), 7, at: 0)
        #expect(wait?.until == 3_000_000_000)
        let late = state.decideChange(for: .seconds(3), 7, at: 3_000_000_000)
        #expect(late == nil)
        Self.release(0, 1, in: state)
        let half = state.decideChange(for: .seconds(3), 7, at: 0)
        #expect(half != nil)
        // The newest frame stays on screen until another one replaces it.
        Self.release(1, 2, in: state)
        let seen = state.decideChange(for: .seconds(3), 7, at: 0)
        #expect(seen == nil)
    }

    @Test("larger memory waits neither for frames from before a seek, nor for a front-end that takes every frame")
    func growsAtOnce() throws {
        var state = try Self.ring()
        try Self.fill(&state)
        state.flush(to: 8)
        let flushed = state.decideChange(for: .seconds(3), 8, at: 0)
        #expect(flushed == nil && state.takes(8) && !state.takes(7))
        var other = try Self.ring(.everyFrame)
        try Self.fill(&other)
        let every = other.decideChange(for: .seconds(3), 7, at: 0)
        #expect(every == nil)
    }

    @Test("larger memory keeps the number of published frames, so playback can end without another frame")
    func growsAndEnds() throws {
        var state = try Self.ring()
        try Self.fill(&state)
        state.replace(with: try FrameRingMemory(slotCount: 3, frameBytes: 10_000))
        #expect(state.memory.ring.loadAcquiring(at: FrameLayout.Header.published) == 3)
    }

    @Test("a front-end that wants every frame but takes none counts as stalled after 10 s if other sinks wait")
    func stalls() throws {
        let second: Int64 = 1_000_000_000
        var state = try Self.ring(.everyFrame)
        try Self.fill(&state)
        guard case .wait(until: nil) = state.decide(.seconds(4), 7, at: 0) else {
            Issue.record("nobody waits for it")
            return
        }
        state.setAwaited(true)
        guard case .wait(until: 15_000_000_000) = state.decide(.seconds(4), 7, at: 5 * second),
            case .wait(until: 15_000_000_000) = state.decide(.seconds(4), 7, at: 14 * second)
        else {
            Issue.record("it has 10 s")
            return
        }
        guard case .stalled = state.decide(.seconds(4), 7, at: 15 * second) else {
            Issue.record("it had 10 s")
            return
        }
        Self.release(1, 2, in: state)
        guard case .write = state.decide(.seconds(4), 7, at: 15 * second) else {
            Issue.record("there is room")
            return
        }
        guard case .wait(until: 26_000_000_000) = state.decide(.seconds(4), 7, at: 16 * second) else {
            Issue.record("it has taken one meanwhile")
            return
        }
    }
}
