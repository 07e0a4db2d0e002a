// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Decoding

@Suite("The frames in a ring's slots")
struct FrameSlotsTests {
    /// Publishes frames in the first slots.
    private func published(_ count: Int, of total: Int = 4, wish: Int = 3) -> FrameSlots {
        var slots = FrameSlots(total, wish: wish)
        for slot in 0..<count {
            slots.reserve(slot)
            _ = slots.publish(slot)
        }
        return slots
    }

    @Test("the front-end may hold what it requested, or all slots if there are fewer")
    func room() {
        #expect((0...3).map { published($0).hasRoom } == [true, true, true, false])
        #expect(published(2, of: 2).most == 2 && !published(2, of: 2).hasRoom)
        var slots = published(2)
        slots.reserve(3)
        #expect(!slots.hasRoom, "a frame that is being written counts")
        slots.free(3)
        #expect(slots.hasRoom)
    }

    @Test("a slot is vacant if the front-end does not hold it and no decoder has it")
    func vacancy() {
        let slots = published(1)
        #expect(slots.vacancy { _ in false } == 1)
        #expect(slots.vacancy { $0 < 3 } == 3)
        #expect(slots.vacancy { _ in true } == nil)
    }

    @Test("a slot is free again once the front-end has released its frame")
    func collected() {
        var slots = published(3)
        slots.collect { slot, sequence in slot == 1 && sequence == 2 || sequence == 1 && slot == 2 }
        #expect((0..<4).map { slots.isFree($0) } == [false, true, false, true])
    }

    @Test("frames from before a flush, and the latest frame, do not count as unseen")
    func unseen() {
        var slots = published(1)
        #expect(!slots.hasUnseen)
        slots = published(2)
        #expect(slots.hasUnseen)
        slots.flush()
        #expect(!slots.hasUnseen)
        _ = slots.publish(2)
        #expect(!slots.hasUnseen)
        _ = slots.publish(3)
        #expect(slots.hasUnseen)
    }

    @Test("new memory begins with free slots, and sequence numbers continue")
    func replaced() {
        var slots = published(3)
        slots.replace(with: 2)
        #expect(slots.hasRoom && slots.most == 2 && slots.published == 3)
        let next = slots.publish(0)
        #expect(next == 4)
    }
}
