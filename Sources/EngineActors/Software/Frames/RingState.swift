// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Which slot holds what, and what the front-end is to hear: the decisions of a `FrameRing`.
struct RingState {
    private enum Slot: Hashable {
        /// It may be lent to a decoder all the same (`RingMemory.isLent`).
        case free
        case written
        /// The front-end's, until it says that it is done with it.
        case held(UInt64)
    }

    /// Where a picture lies that a decoder has put into a ring.
    struct Place: Sendable {
        let memory: RingMemory
        let slot: Int
        let layout: PictureLayout
    }

    /// A slot that may be written, for as long as nothing is flushed and the memory is the ring's.
    struct Reservation: Sendable {
        let slot: Int
        let memory: RingMemory
        /// Counts flushes.
        let epoch: UInt64
        /// How the picture lies there already. `nil`: it has to be put there.
        let layout: PictureLayout?
        /// What a decoder has asked for in vain.
        let wantedBytes: Int
    }

    enum Decision: Sendable {
        case write(Reservation)
        /// Asks again after a signal, or at this moment.
        case wait(until: Int64?)
        case answer(Reception)
        /// Others have waited for this front-end for too long.
        case stalled
    }

    /// Something is asked for again after a signal, or at this moment.
    struct Wait: Sendable {
        let until: Int64?
    }

    private(set) var memory: RingMemory
    var link = HandoverLink()
    private let pace: FramePace
    /// So many pictures the front-end may have at a time.
    private let wish: Int
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
    /// How long a front-end that wants every picture may take none while others wait for it.
    static let patience: Int64 = 10_000_000_000
    private static let attention: Int64 = 2_000_000_000
    private static let glanceLength: Int64 = 10_000_000
    private var isAwaited = false
    private var stalledSince: Int64?
    /// A decoder has asked for so much, and slots are smaller.
    private var wantedBytes = 0

    init(_ memory: RingMemory, wish: Int, pace: FramePace) {
        self.memory = memory
        self.wish = wish
        self.pace = pace
        slots = [Slot](repeating: .free, count: memory.slotCount)
    }

    // MARK: Pictures

    /// - Parameters:
    ///   - time: when the picture that asks for a slot appears.
    ///   - place: where it lies, if that is in a ring.
    mutating func decide(
        _ time: MediaTime,
        _ generation: UInt64,
        at now: Int64,
        lying place: Place? = nil
    ) -> Decision {
        if link.isOver { return .answer(.gone) }
        guard generation == self.generation else { return .answer(.dropped) }
        collect()
        if let reservation = reserve(place) {
            slots[reservation.slot] = .written
            isStalled = false
            stalledSince = nil
            return .write(reservation)
        }
        guard pace == .realTime else { return stall(at: now) }
        let moment = anchor?.moment(of: time)
        if !isStalled, moment.map({ $0 > now }) ?? true { return .wait(until: moment) }
        if let anchor, anchor.rate == 0, !isStalled { return glance(at: now) }
        isStalled = true
        dropped &+= 1
        memory.write(dropped: dropped)
        return .answer(.dropped)
    }

    /// Where the playhead stands nothing comes too late: what it has come to is seen until it goes on. A display that looks at
    /// every refresh need not ask, so it is looked for room again and again, for a while.
    private mutating func glance(at now: Int64) -> Decision {
        let since = stalledSince ?? now
        stalledSince = since
        return .wait(until: now < since + Self.attention ? now + Self.glanceLength : nil)
    }

    private mutating func stall(at now: Int64) -> Decision {
        guard isAwaited else { return .wait(until: nil) }
        let since = stalledSince ?? now
        stalledSince = since
        return now < since + Self.patience ? .wait(until: since + Self.patience) : .stalled
    }

    /// Others play the same and want to go on, or do not.
    mutating func setAwaited(_ isAwaited: Bool) {
        self.isAwaited = isAwaited
        stalledSince = nil
    }

    private func reserve(_ place: Place?) -> Reservation? {
        guard slots.count(where: { $0 != .free }) < most else { return nil }
        // A decoder that gives one picture twice may have it held already.
        if let place, place.memory === memory, slots[place.slot] == .free {
            return reservation(of: place.slot, layout: place.layout)
        }
        return vacancy.map { reservation(of: $0, layout: nil) }
    }

    private func reservation(of slot: Int, layout: PictureLayout?) -> Reservation {
        Reservation(slot: slot, memory: memory, epoch: epoch, layout: layout, wantedBytes: wantedBytes)
    }

    /// A slot that nobody has and nobody refers to.
    private var vacancy: Int? { slots.indices.first { slots[$0] == .free && !memory.isLent($0) } }

    private var most: Int { min(wish, memory.slotCount) }

    /// A slot for a decoder to write to. So many are not lent that there always is one for a copy where the front-end may have
    /// another picture.
    ///
    /// - Returns: `nil` where there is none for now, or none that is so large.
    mutating func lend(_ byteCount: Int) -> PictureRoom? {
        guard !link.isOver else { return nil }
        guard byteCount <= memory.pictureBytes else {
            wantedBytes = RingMemory.fittingCount(of: byteCount + byteCount / 4) > most ? byteCount : 0
            return nil
        }
        collect()
        guard memory.lentCount < memory.slotCount - most, let slot = vacancy else { return nil }
        return memory.lend(slot)
    }

    /// The picture is there: it is the front-end's, unless something was flushed meanwhile.
    mutating func publish(_ reservation: Reservation) -> Reception {
        guard isCurrent(reservation) else { return give(back: reservation) }
        published &+= 1
        slots[reservation.slot] = .held(published)
        memory.publish(reservation.slot, as: published, generation: epoch)
        return reservation.layout == nil ? .taken : .takenInPlace
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
        if wantedBytes <= memory.pictureBytes { wantedBytes = 0 }
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
        // What lies there is worthless now: the front-end may let go of it.
        isStalled = false
        stalledSince = nil
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
