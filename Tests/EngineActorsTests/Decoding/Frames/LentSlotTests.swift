// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Testing

@testable import Bindings
@testable import Decoding

@Suite("Slots that decoders write to", .timeLimit(.minutes(10)))
struct LentSlotTests {
    private static let layout = PlaneLayout(halfOf: 1, 1)

    private static func ring(slots: Int = 8, wish: Int = 3, pace: FramePace = .everyFrame) throws -> FrameRingState {
        var state = FrameRingState(try FrameRingMemory(slotCount: slots, frameBytes: 4096), wish: wish, pace: pace)
        state.flush(to: 7)
        return state
    }

    private static func slot(of room: FrameSlot, in memory: FrameRingMemory) -> Int {
        (room.offset - memory.frameOffset(of: 0)) / memory.frameBytes
    }

    private static func place(_ slot: Int, _ state: FrameRingState) -> FrameRingState.Place {
        FrameRingState.Place(memory: state.memory, slot: slot, layout: layout)
    }

    private static func reserved(
        _ state: inout FrameRingState,
        lying place: FrameRingState.Place? = nil
    ) -> FrameRingState.Reservation? {
        guard case .write(let reservation) = state.decide(.zero, 7, at: 0, lying: place) else { return nil }
        return reservation
    }

    private static func lent(_ state: inout FrameRingState, _ byteCount: Int = 4096) -> FrameSlot? {
        state.lend(byteCount)
    }

    private static func release(_ slot: Int, _ sequence: UInt64, in state: FrameRingState) {
        state.memory.control.storeReleasing(sequence, at: FrameLayout.Control.released + slot * 8)
    }

    private static func sequence(of slot: Int, in memory: FrameRingMemory) -> UInt64 {
        memory.ring.loadAcquiring(at: memory.headerOffset(of: slot) + FrameLayout.Slot.sequence)
    }

    @Test("all slots except the front-end's share are lent, each once")
    func limit() throws {
        var state = try Self.ring()
        var rooms: [FrameSlot] = []
        while let room = state.lend(4096) { rooms.append(room) }
        #expect(Set(rooms.map(\.offset)).count == 5)
        #expect(state.memory.lentCount == 5)
        for _ in 0..<3 {
            let reservation = try #require(Self.reserved(&state))
            #expect(!state.memory.isLent(reservation.slot))
            let reception = state.publish(reservation)
            #expect(reception == .taken)
        }
        #expect(Self.reserved(&state) == nil)
        rooms.removeFirst()
        #expect(state.memory.lentCount == 4)
        #expect(Self.lent(&state) != nil)
        #expect(state.memory.lentCount == 4, "a slot that nobody uses is released")
    }

    @Test("no slot is lent if the front-end wants all of them")
    func noneToSpare() throws {
        var state = try Self.ring(slots: 3)
        let room = state.lend(1)
        #expect(room == nil)
    }

    @Test(
        "a frame in place is published in its slot, which is free once both decoder and front-end have released it",
        arguments: [true, false]
    )
    func inPlace(decoderLetsGoFirst: Bool) throws {
        var state = try Self.ring()
        var room = state.lend(4096)
        let slot = Self.slot(of: try #require(room), in: state.memory)
        let reservation = try #require(Self.reserved(&state, lying: Self.place(slot, state)))
        #expect(reservation.slot == slot && reservation.layout != nil)
        let reception = state.publish(reservation)
        #expect(reception == .takenInPlace)
        #expect(Self.sequence(of: slot, in: state.memory) == 1)
        /// Whether the slot is available to a decoder.
        func isFree() -> Bool {
            var lent: [FrameSlot] = []
            while let room = state.lend(4096) { lent.append(room) }
            return lent.contains { Self.slot(of: $0, in: state.memory) == slot }
        }
        #expect(!isFree())
        if decoderLetsGoFirst { room = nil } else { Self.release(slot, 1, in: state) }
        #expect(!isFree())
        #expect(!decoderLetsGoFirst || Self.sequence(of: slot, in: state.memory) == 1)
        if decoderLetsGoFirst { Self.release(slot, 1, in: state) } else { room = nil }
        #expect(isFree())
        withExtendedLifetime(room) {}
    }

    @Test(
        "a frame that is output again is copied while the front-end holds it, and published in place after its release"
    )
    func twice() throws {
        var state = try Self.ring()
        let room = try #require(Self.lent(&state))
        let place = Self.place(Self.slot(of: room, in: state.memory), state)
        let first = try #require(Self.reserved(&state, lying: place))
        _ = state.publish(first)
        let second = try #require(Self.reserved(&state, lying: place))
        #expect(second.slot != place.slot && second.layout == nil)
        _ = state.publish(second)
        Self.release(place.slot, 1, in: state)
        let third = try #require(Self.reserved(&state, lying: place))
        #expect(third.slot == place.slot && third.layout != nil)
    }

    @Test("the front-end holds no more frames than it requested, whether in place or copied")
    func wish() throws {
        var state = try Self.ring()
        var rooms: [FrameSlot] = []
        for _ in 0..<3 {
            let room = try #require(Self.lent(&state))
            rooms.append(room)
            let place = Self.place(Self.slot(of: room, in: state.memory), state)
            let reservation = try #require(Self.reserved(&state, lying: place))
            _ = state.publish(reservation)
        }
        let room = try #require(Self.lent(&state))
        let place = Self.place(Self.slot(of: room, in: state.memory), state)
        #expect(Self.reserved(&state, lying: place) == nil)
        Self.release(Self.slot(of: rooms[1], in: state.memory), 2, in: state)
        let next = Self.reserved(&state, lying: place)
        #expect(next?.slot == place.slot)
    }

    @Test("the slot of a frame flushed before it was published is free once the decoder has released it")
    func flush() throws {
        var state = try Self.ring()
        var room = state.lend(4096)
        let slot = Self.slot(of: try #require(room), in: state.memory)
        let reservation = try #require(Self.reserved(&state, lying: Self.place(slot, state)))
        state.flush(to: 8)
        let reception = state.publish(reservation)
        #expect(reception == .dropped)
        #expect(state.memory.isLent(slot))
        room = nil
        #expect(!state.memory.isLent(slot))
        withExtendedLifetime(room) {}
    }

    @Test("if slots are too small, the next copied frame requests larger ones")
    func grows() throws {
        var state = try Self.ring()
        let none = state.lend(4097)
        #expect(none == nil)
        let reservation = try #require(Self.reserved(&state))
        #expect(reservation.wantedBytes == 4097)
        state.give(back: reservation)
        let old = state.memory
        state.replace(with: try FrameRingMemory(slotCount: 8, frameBytes: 5000))
        let room = try #require(Self.lent(&state, 4097))
        // A frame in the old memory must be copied.
        let stale = FrameRingState.Place(memory: old, slot: 0, layout: Self.layout)
        let next = try #require(Self.reserved(&state, lying: stale))
        #expect(next.layout == nil && next.wantedBytes == 0)
        withExtendedLifetime(room) {}
    }

    @Test("a size that fits in no ring is not requested")
    func tooLarge() throws {
        var state = try Self.ring()
        let none = state.lend(300 << 20)
        #expect(none == nil)
        let reservation = try #require(Self.reserved(&state))
        #expect(reservation.wantedBytes == 0)
    }

    @Test("memory lives as long as a decoder refers to it, and no slot is lent after the ring has ended")
    func outlives() throws {
        var room: FrameSlot?
        weak var memory: FrameRingMemory?
        do {
            var state = try Self.ring()
            memory = state.memory
            room = state.lend(4096)
            _ = state.handover.end()
            let none = state.lend(4096)
            #expect(none == nil)
        }
        #expect(memory != nil && room != nil)
        room = nil
        #expect(memory == nil)
    }
}
