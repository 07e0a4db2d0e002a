// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The contents of the slots, and the handover to the front-end: the decisions of a `FrameRing`.
package struct FrameRingState {
    /// The place in a ring where a decoder has written a frame.
    package struct Place: Sendable {
        let memory: FrameRingMemory
        let slot: Int
        let layout: PlaneLayout
    }

    /// A slot that may be written and published, provided that no flush happens and the ring keeps its memory.
    struct Reservation: Sendable {
        let slot: Int
        let memory: FrameRingMemory
        /// Counts flushes.
        let epoch: UInt64
        /// The layout, if the slot already contains the frame; `nil` if the frame must be written.
        let layout: PlaneLayout?
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
    var handover = HandoverState()
    private var slots: FrameSlots
    private var wait: RoomWait
    private var clock = RingClock()
    private var dropped: UInt64 = 0
    /// The slot size that a decoder has requested, if larger than the slots; otherwise 0. Also 0 if too few slots of
    /// that size would fit into a ring.
    private var wantedBytes = 0

    /// - Parameter wish: how many frames the front-end may hold at a time.
    init(_ memory: FrameRingMemory, wish: Int, pace: FramePace) {
        self.memory = memory
        slots = FrameSlots(memory.slotCount, wish: wish)
        wait = RoomWait(pace)
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
        if handover.isOver { return .answer(.gone) }
        guard clock.isCurrent(generation) else { return .answer(.dropped) }
        collect()
        if let reservation = reserve(place) {
            slots.reserve(reservation.slot)
            wait.end()
            return .write(reservation)
        }
        switch wait.decide(clock.moment(of: time), isStill: clock.isStill, at: now) {
        case .wait(let moment): return .wait(until: moment)
        case .stalled: return .stalled
        case .drop:
            dropped &+= 1
            memory.write(dropped: dropped)
            return .answer(.dropped)
        }
    }

    /// Sets whether other sinks of the same playback wait for this one.
    mutating func setAwaited(_ isAwaited: Bool) { wait.setAwaited(isAwaited) }

    private func reserve(_ place: Place?) -> Reservation? {
        guard slots.hasRoom else { return nil }
        // If a decoder outputs the same frame twice, the front-end may already hold its slot.
        if let place, place.memory === memory, slots.isFree(place.slot) {
            return reservation(of: place.slot, layout: place.layout)
        }
        return vacancy.map { reservation(of: $0, layout: nil) }
    }

    private func reservation(of slot: Int, layout: PlaneLayout?) -> Reservation {
        Reservation(slot: slot, memory: memory, epoch: clock.epoch, layout: layout, wantedBytes: wantedBytes)
    }

    private var vacancy: Int? { slots.vacancy(isLent: memory.isLent) }

    /// Lends a slot for a decoder to write to. Leaves enough slots unlent that a frame that must be copied finds one
    /// whenever the front-end may hold another frame.
    ///
    /// - Returns: `nil` when no slot may be lent at present, or the slots are too small.
    mutating func lend(_ byteCount: Int) -> FrameSlot? {
        guard !handover.isOver else { return nil }
        guard byteCount <= memory.frameBytes else {
            wantedBytes = FrameRingMemory.fittingCount(of: byteCount + byteCount / 4) > slots.most ? byteCount : 0
            return nil
        }
        collect()
        guard memory.lentCount < memory.slotCount - slots.most, let slot = vacancy else { return nil }
        return memory.lend(slot)
    }

    /// Publishes a written frame, which then belongs to the front-end, unless the ring was flushed, ended or given
    /// other memory meanwhile.
    mutating func publish(_ reservation: Reservation) -> Reception {
        guard isCurrent(reservation) else { return give(back: reservation) }
        memory.publish(reservation.slot, as: slots.publish(reservation.slot), generation: clock.epoch)
        return reservation.layout == nil ? .taken : .takenInPlace
    }

    /// Frees a slot that was not published.
    @discardableResult
    mutating func give(back reservation: Reservation) -> Reception {
        if reservation.memory === memory { slots.free(reservation.slot) }
        return handover.isOver ? .gone : .dropped
    }

    private func isCurrent(_ reservation: Reservation) -> Bool {
        !handover.isOver && reservation.epoch == clock.epoch && reservation.memory === memory
    }

    private mutating func collect() {
        let memory = memory
        slots.collect { memory.isReleased($0, $1) }
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
        guard wait.isForDisplay, takes(generation), slots.hasUnseen else { return nil }
        let moment = clock.moment(of: time)
        return moment.map { $0 > now } ?? true ? Wait(until: moment) : nil
    }

    /// Whether frames of `generation` are still accepted.
    func takes(_ generation: UInt64) -> Bool { !handover.isOver && clock.isCurrent(generation) }

    /// Replaces the memory. The front-end keeps the frames in the old memory.
    mutating func replace(with memory: FrameRingMemory) {
        self.memory.retire()
        self.memory = memory
        slots.replace(with: memory.slotCount)
        if wantedBytes <= memory.frameBytes { wantedBytes = 0 }
        memory.write(generation: clock.epoch)
        memory.write(dropped: dropped)
        memory.write(published: slots.published)
        if clock.hasEnded { memory.write(endedGeneration: clock.epoch) }
        if let anchor = clock.anchor { memory.write(anchor, generation: clock.epoch) }
    }

    // MARK: Time

    mutating func flush(to generation: UInt64) {
        clock.flush(to: generation)
        // Frames before the flush are obsolete: the front-end may release them.
        slots.flush()
        wait.end()
        memory.write(generation: clock.epoch)
    }

    /// Accepts frames of the next lap after those of this one, which the front-end still takes.
    mutating func beginLap(_ generation: UInt64) { clock.beginLap(generation) }

    /// - Returns: whether the anchor belongs to the last generation.
    mutating func follow(_ anchor: PositionAnchor, _ generation: UInt64) -> Bool {
        guard clock.follow(anchor, generation) else { return false }
        memory.write(anchor, generation: clock.epoch)
        return true
    }

    mutating func finish(_ generation: UInt64) -> Bool {
        guard clock.finish(generation) else { return false }
        memory.write(endedGeneration: clock.epoch)
        return true
    }

    /// Notifies the front-end that the ring has ended. Nothing is written afterwards.
    mutating func retire() { memory.retire() }
}
