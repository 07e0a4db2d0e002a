// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The contents of the slots, and what the front-end is sent: the decisions of a `FrameRing`.
package struct FrameRingState {
    private enum Slot: Hashable {
        /// May nevertheless be lent to a decoder (`FrameRingMemory.isLent`).
        case free
        case written
        /// Belongs to the front-end, until it releases this sequence number.
        case held(UInt64)
    }

    /// Where a decoder has written a frame in a ring.
    package struct Place: Sendable {
        let memory: FrameRingMemory
        let slot: Int
        let layout: PictureLayout
    }

    /// A slot that may be written and published, provided that no flush happens and the ring keeps its memory.
    struct Reservation: Sendable {
        let slot: Int
        let memory: FrameRingMemory
        /// Counts flushes.
        let epoch: UInt64
        /// The layout, if the slot already contains the frame; `nil` if the frame must be written.
        let layout: PictureLayout?
        /// The slot size that a decoder has requested, if larger than the slots; otherwise 0.
        let wantedBytes: Int
    }

    enum Decision: Sendable {
        case write(Reservation)
        /// The caller asks again after a signal, or at this moment.
        case wait(until: Int64?)
        case answer(Reception)
        /// Other sinks have waited too long for this front-end.
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
    /// Whether a frame was dropped for lack of room, and no room has been found since.
    private var isStalled = false
    /// How long a front-end that wants every frame may take none while other sinks wait for it, in nanoseconds.
    static let patience: Int64 = 10_000_000_000
    /// How long the ring polls for room while the playhead stands still, and how often, in nanoseconds.
    private static let pollDuration: Int64 = 2_000_000_000
    private static let pollInterval: Int64 = 10_000_000
    private var isAwaited = false
    private var stalledSince: Int64?
    /// The slot size that a decoder has requested, if larger than the slots; otherwise 0.
    private var wantedBytes = 0

    init(_ memory: FrameRingMemory, wish: Int, pace: FramePace) {
        self.memory = memory
        self.wish = wish
        self.pace = pace
        slots = [Slot](repeating: .free, count: memory.slotCount)
    }

    // MARK: Frames

    /// - Parameters:
    ///   - time: the presentation time of the frame that needs a slot.
    ///   - place: where the frame is, if a decoder has written it to a ring.
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
        if let anchor, anchor.rate == 0, !isStalled { return poll(at: now) }
        isStalled = true
        dropped &+= 1
        memory.write(dropped: dropped)
        return .answer(.dropped)
    }

    /// While the playhead stands still, no frame is late: the frame at the playhead is shown until playback continues.
    /// A display that reads at every refresh need not send any message, so the ring polls for room, for a limited time.
    private mutating func poll(at now: Int64) -> Decision {
        let since = stalledSince ?? now
        stalledSince = since
        return .wait(until: now < since + Self.pollDuration ? now + Self.pollInterval : nil)
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
        // If a decoder outputs the same frame twice, the front-end may already hold its slot.
        if let place, place.memory === memory, slots[place.slot] == .free {
            return reservation(of: place.slot, layout: place.layout)
        }
        return vacancy.map { reservation(of: $0, layout: nil) }
    }

    private func reservation(of slot: Int, layout: PictureLayout?) -> Reservation {
        Reservation(slot: slot, memory: memory, epoch: epoch, layout: layout, wantedBytes: wantedBytes)
    }

    /// A slot that the front-end does not hold and that is not lent.
    private var vacancy: Int? { slots.indices.first { slots[$0] == .free && !memory.isLent($0) } }

    private var most: Int { min(wish, memory.slotCount) }

    /// Lends a slot for a decoder to write to. Holds back enough slots that a copy finds one whenever the front-end may
    /// have another frame.
    ///
    /// - Returns: `nil` when no slot is free at present, or the slots are too small.
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

    /// Publishes a written frame, which then belongs to the front-end, unless there was a flush meanwhile.
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

    /// Frees the slots that the front-end has released. Reports about other frames have no effect.
    private mutating func collect() {
        for (index, slot) in slots.enumerated() {
            if case .held(let sequence) = slot, memory.isReleased(index, sequence) { slots[index] = .free }
        }
    }

    /// Decides when larger memory may replace this one, for a frame shown at `time`.
    ///
    /// A display reads only the newest memory. Therefore the ring waits until the display has released every frame in
    /// this memory except the newest, or until the new frame is due, when the newest one is on screen. A front-end that
    /// wants every frame takes all frames from this memory before it changes to the next.
    ///
    /// - Returns: `nil` if the memory may be replaced now.
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

    /// Replaces the memory. The front-end keeps the frames in the old memory.
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

    /// - Returns: whether the anchor belongs to the current generation.
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

    /// Tells the front-end that the ring has ended. Nothing is written afterwards.
    mutating func retire() { memory.retire() }
}
