// SPDX-License-Identifier: Apache-2.0

/// Records which frame is in which slot of a ring's memory, and which frames the front-end has. Pure.
struct FrameSlots {
    private enum Slot: Hashable {
        /// May nevertheless be lent to a decoder (`FrameRingMemory.isLent`).
        case free
        case written
        /// Belongs to the front-end, until it releases this sequence number.
        case held(UInt64)
    }

    /// How many frames the front-end wants to hold at a time.
    private let wish: Int
    private var slots: [Slot]
    /// Sequence number of the latest frame.
    private(set) var published: UInt64 = 0
    /// Sequence number of the last frame before the latest flush.
    private var flushed: UInt64 = 0

    init(_ count: Int, wish: Int) {
        self.wish = wish
        slots = [Slot](repeating: .free, count: count)
    }

    /// How many frames the front-end may hold at a time.
    var most: Int { min(wish, slots.count) }

    /// Whether the front-end may have another frame.
    var hasRoom: Bool { slots.count(where: { $0 != .free }) < most }

    func isFree(_ slot: Int) -> Bool { slots[slot] == .free }

    /// A free slot that is not lent to a decoder.
    func vacancy(isLent: (Int) -> Bool) -> Int? { slots.indices.first { slots[$0] == .free && !isLent($0) } }

    mutating func reserve(_ slot: Int) { slots[slot] = .written }

    mutating func free(_ slot: Int) { slots[slot] = .free }

    /// Gives the frame in a slot to the front-end.
    ///
    /// - Returns: its sequence number.
    mutating func publish(_ slot: Int) -> UInt64 {
        published &+= 1
        slots[slot] = .held(published)
        return published
    }

    /// Frees the slots that the front-end has released. Reports about other frames have no effect.
    mutating func collect(isReleased: (_ slot: Int, _ sequence: UInt64) -> Bool) {
        for (index, slot) in slots.enumerated() {
            if case .held(let sequence) = slot, isReleased(index, sequence) { slots[index] = .free }
        }
    }

    mutating func flush() { flushed = published }

    /// Whether the front-end holds a frame published since the latest flush, other than the newest frame.
    var hasUnseen: Bool {
        slots.contains { slot in
            if case .held(let sequence) = slot { sequence > flushed && sequence < published } else { false }
        }
    }

    /// Begins with new memory. The front-end keeps the frames in the old one.
    mutating func replace(with count: Int) { slots = [Slot](repeating: .free, count: count) }
}
