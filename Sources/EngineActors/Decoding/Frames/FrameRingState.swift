// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Which slot holds what, and what the front-end is sent: the decisions of a `FrameRing`.
package struct FrameRingState {
    private enum Slot: Hashable {
        /// May nevertheless be lent to a decoder (`FrameRingMemory.isLent`).
        case free
        case written
        /// Belongs to the front-end, until it releases this sequence number.
        case held(UInt64)
    }

    /// Where a decoder has put a frame in a ring.
    package struct Place: Sendable {
        let memory: FrameRingMemory
        let slot: Int
        let layout: PictureLayout
    }

    /// A slot that may be written, as long as nothing is flushed and the memory is still the ring's.
    struct Reservation: Sendable {
        let slot: Int
        let memory: FrameRingMemory
        /// Counts flushes.
        let epoch: UInt64
        /// The layout, if the frame lies there already. `nil`: the frame must be written.
        let layout: PictureLayout?
        /// The slot size that a decoder has asked for in vain; 0 if none.
        let wantedBytes: Int
    }

    enum Decision: Sendable {
        case write(Reservation)
        /// The caller asks again after a signal, or at this moment.
        case wait(until: Int64?)
        case answer(Reception)
        /// Others have waited too long for this front-end.
        case stalled
    }

    /// The caller asks again after a signal, or at this moment.
    struct Wait: Sendable {
        let until: Int64?
    }

    private(set) var memory: FrameRingMemory
    var link = HandoverLink()
    private let pace: FramePace
    /// How many frames the front-end may hold at a time.
    private let wish: Int
    private var slots: [Slot]
    /// The renderer's generation. The ring counts its own in `epoch`, which never decreases.
    private var generation: UInt64?
    private var epoch: UInt64 = 0
    private var hasEnded = false
    private var anchor: PositionAnchor?
    private var published: UInt64 = 0
    /// Sequence number of the last frame before the latest flush.
    private var flushed: UInt64 = 0
    private var dropped: UInt64 = 0
    /// Whether a frame found no room, and there has been none since.
    private var isStalled = false
    /// How long a front-end that wants every frame may take none while others wait for it, in nanoseconds.
    static let patience: Int64 = 10_000_000_000
    private static let attention: Int64 = 2_000_000_000
    private static let glanceLength: Int64 = 10_000_000
    private var isAwaited = false
    private var stalledSince: Int64?
    /// The slot size that a decoder has asked for, if slots are smaller; otherwise 0.
    private var wantedBytes = 0

    init(_ memory: FrameRingMemory, wish: Int, pace: FramePace) {
        self.memory = memory
        self.wish = wish
        self.pace = pace
        slots = [Slot](repeating: .free, count: memory.slotCount)
    }

    // MARK: Frames

    /// - Parameters:
    ///   - time: when the frame that needs a slot is shown.
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

    /// While the playhead stands still, no frame is late: the frame at the playhead stays until playback continues. A
    /// display that reads at every refresh need not send anything, so the ring checks for room repeatedly, for a
    /// limited time.
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

    /// Sets whether other sinks of the same playback wait for this one.
    mutating func setAwaited(_ isAwaited: Bool) {
        self.isAwaited = isAwaited
        stalledSince = nil
    }

    private func reserve(_ place: Place?) -> Reservation? {
        guard slots.count(where: { $0 != .free }) < most else { return nil }
        // If a decoder outputs one frame twice, the front-end may already hold the slot.
        if let place, place.memory === memory, slots[place.slot] == .free {
            return reservation(of: place.slot, layout: place.layout)
        }
        return vacancy.map { reservation(of: $0, layout: nil) }
    }

    private func reservation(of slot: Int, layout: PictureLayout?) -> Reservation {
        Reservation(slot: slot, memory: memory, epoch: epoch, layout: layout, wantedBytes: wantedBytes)
    }

    /// A slot that nobody holds and nobody refers to.
    private var vacancy: Int? { slots.indices.first { slots[$0] == .free && !memory.isLent($0) } }

    private var most: Int { min(wish, memory.slotCount) }

    /// Lends a slot for a decoder to write to. Keeps enough slots back that a copy always finds one when the front-end
    /// may have another frame.
    ///
    /// - Returns: `nil` when no slot is free for now, or none is large enough.
    mutating func lend(_ byteCount: Int) -> FrameSlot? {
        guard !link.isOver else { return nil }
        guard byteCount <= memory.pictureBytes else {
            wantedBytes = FrameRingMemory.fittingCount(of: byteCount + byteCount / 4) > most ? byteCount : 0
            return nil
        }
        collect()
        guard memory.lentCount < memory.slotCount - most, let slot = vacancy else { return nil }
        return memory.lend(slot)
    }

    /// The frame is written: it now belongs to the front-end, unless something was flushed meanwhile.
    mutating func publish(_ reservation: Reservation) -> Reception {
        guard isCurrent(reservation) else { return give(back: reservation) }
        published &+= 1
        slots[reservation.slot] = .held(published)
        memory.publish(reservation.slot, as: published, generation: epoch)
        return reservation.layout == nil ? .taken : .takenInPlace
    }

    /// Frees a slot that was not published.
    @discardableResult
    mutating func give(back reservation: Reservation) -> Reception {
        if reservation.memory === memory { slots[reservation.slot] = .free }
        return link.isOver ? .gone : .dropped
    }

    private func isCurrent(_ reservation: Reservation) -> Bool {
        !link.isOver && reservation.epoch == epoch && reservation.memory === memory
    }

    /// Takes back the slots that the front-end has released. Releases of other frames have no effect.
    private mutating func collect() {
        for (index, slot) in slots.enumerated() {
            if case .held(let sequence) = slot, memory.isReleased(index, sequence) { slots[index] = .free }
        }
    }

    /// When larger memory may replace this one, for a frame shown at `time`.
    ///
    /// A display reads only the newest memory. So the ring waits until the display has seen every frame here but the
    /// newest, or until the new frame is due, when the newest is the one on screen. A front-end that wants every frame
    /// takes them from this memory before moving on.
    ///
    /// - Returns: `nil` if it may now.
    mutating func decideChange(for time: MediaTime, _ generation: UInt64, at now: Int64) -> Wait? {
        collect()
        guard pace == .realTime, takes(generation), !isStalled, slots.contains(where: isUnseen)
        else { return nil }
        let moment = anchor?.moment(of: time)
        return moment.map { $0 > now } ?? true ? Wait(until: moment) : nil
    }

    /// Whether frames of `generation` are still accepted.
    func takes(_ generation: UInt64) -> Bool { !link.isOver && generation == self.generation }

    private func isUnseen(_ slot: Slot) -> Bool {
        if case .held(let sequence) = slot { sequence > flushed && sequence < published } else { false }
    }

    /// Replaces the memory. The front-end keeps the frames in the old one.
    mutating func replace(with memory: FrameRingMemory) {
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
        // Frames before the flush are obsolete: the front-end may release them.
        isStalled = false
        stalledSince = nil
        anchor = nil
        memory.write(generation: epoch)
    }

    /// - Returns: whether it is the playhead of the current generation.
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

    /// Nothing is written afterwards.
    mutating func retire() { memory.retire() }
}
