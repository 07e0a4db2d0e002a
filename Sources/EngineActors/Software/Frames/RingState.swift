// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Which slot holds what, and what the front-end is to hear: the decisions of a `FrameRing`.
struct RingState {
    private enum Slot: Hashable {
        case free
        case written
        /// The front-end's, until it says that it is done with it.
        case held(UInt64)
    }

    /// A slot that may be written, for as long as nothing is flushed and the memory is the ring's.
    struct Reservation: Sendable {
        let slot: Int
        let memory: RingMemory
        /// Counts flushes.
        let epoch: UInt64
    }

    enum Decision: Sendable {
        case write(Reservation)
        /// Asks again after a signal, or at this moment.
        case wait(until: Int64?)
        case answer(Reception)
    }

    /// Something is asked for again after a signal, or at this moment.
    struct Wait: Sendable {
        let until: Int64?
    }

    private(set) var memory: RingMemory
    var link = HandoverLink()
    private let pace: FramePace
    private var slots: [Slot]
    /// The renderer's; the ring counts its own, which never goes back.
    private var generation: UInt64?
    private var epoch: UInt64 = 0
    private var hasEnded = false
    private var anchor: PositionAnchor?
    private var published: UInt64 = 0
    /// The last picture before the newest flush.
    private var flushed: UInt64 = 0
    private var dropped: UInt64 = 0
    /// There was no room for a picture, and has been none since.
    private var isStalled = false

    init(_ memory: RingMemory, pace: FramePace) {
        self.memory = memory
        self.pace = pace
        slots = [Slot](repeating: .free, count: memory.slotCount)
    }

    // MARK: Pictures

    /// - Parameter time: when the picture that asks for a slot appears.
    mutating func decide(_ time: MediaTime, _ generation: UInt64, at now: Int64) -> Decision {
        if link.isOver { return .answer(.gone) }
        guard generation == self.generation else { return .answer(.dropped) }
        collect()
        if let slot = slots.firstIndex(of: .free) {
            slots[slot] = .written
            isStalled = false
            return .write(Reservation(slot: slot, memory: memory, epoch: epoch))
        }
        guard pace == .realTime else { return .wait(until: nil) }
        let moment = anchor?.moment(of: time)
        if !isStalled, moment.map({ $0 > now }) ?? true { return .wait(until: moment) }
        isStalled = true
        dropped &+= 1
        memory.write(dropped: dropped)
        return .answer(.dropped)
    }

    /// The picture is there: it is the front-end's, unless something was flushed meanwhile.
    mutating func publish(_ reservation: Reservation) -> Reception {
        guard isCurrent(reservation) else { return give(back: reservation) }
        published &+= 1
        slots[reservation.slot] = .held(published)
        memory.publish(reservation.slot, as: published, generation: epoch)
        return .taken
    }

    /// Nothing has become of it.
    @discardableResult
    mutating func give(back reservation: Reservation) -> Reception {
        if reservation.memory === memory { slots[reservation.slot] = .free }
        return link.isOver ? .gone : .dropped
    }

    private func isCurrent(_ reservation: Reservation) -> Bool {
        !link.isOver && reservation.epoch == epoch && reservation.memory === memory
    }

    /// Takes back what the front-end says that it is done with. What it says of other pictures has no effect.
    private mutating func collect() {
        for (index, slot) in slots.enumerated() {
            if case .held(let sequence) = slot, memory.isReleased(index, sequence) { slots[index] = .free }
        }
    }

    /// When larger memory may take the place of this one, for a picture that appears at `time`.
    ///
    /// A display looks into the newest memory alone. So it first comes to see what lies here, until the picture is due;
    /// the newest is the one it shows by then. Who wants every picture takes them from here before moving on.
    ///
    /// - Returns: `nil`: now.
    mutating func decideChange(for time: MediaTime, _ generation: UInt64, at now: Int64) -> Wait? {
        collect()
        guard pace == .realTime, takes(generation), !isStalled, slots.contains(where: isUnseen)
        else { return nil }
        let moment = anchor?.moment(of: time)
        return moment.map { $0 > now } ?? true ? Wait(until: moment) : nil
    }

    /// Whether pictures of `generation` still come in.
    func takes(_ generation: UInt64) -> Bool { !link.isOver && generation == self.generation }

    private func isUnseen(_ slot: Slot) -> Bool {
        if case .held(let sequence) = slot { sequence > flushed && sequence < published } else { false }
    }

    /// Another memory takes the place of this one, whose pictures stay with the front-end.
    mutating func replace(with memory: RingMemory) {
        self.memory.retire()
        self.memory = memory
        slots = [Slot](repeating: .free, count: memory.slotCount)
        memory.write(generation: epoch)
        memory.write(dropped: dropped)
        memory.write(published: published)
        if hasEnded { memory.write(endedGeneration: epoch) }
        if let anchor { memory.write(anchor, generation: epoch) }
    }

    // MARK: Time

    mutating func flush(to generation: UInt64) {
        self.generation = generation
        epoch &+= 1
        flushed = published
        hasEnded = false
        anchor = nil
        memory.write(generation: epoch)
    }

    /// - Returns: whether it is the playhead of what is shown.
    mutating func follow(_ anchor: PositionAnchor, _ generation: UInt64) -> Bool {
        guard generation == self.generation else { return false }
        self.anchor = anchor
        memory.write(anchor, generation: epoch)
        return true
    }

    mutating func finish(_ generation: UInt64) -> Bool {
        guard generation == self.generation else { return false }
        hasEnded = true
        memory.write(endedGeneration: epoch)
        return true
    }

    /// Nothing is written any more.
    mutating func retire() { memory.retire() }
}
