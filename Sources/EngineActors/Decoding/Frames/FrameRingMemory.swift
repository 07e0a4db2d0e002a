// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Synchronization

/// The memory of a frame ring, and the control page that its front-end writes to (`docs/frames.md`).
///
/// Nothing here trusts the control page: values read from it are only compared, never used as offsets.
final class FrameRingMemory: Sendable {
    let slotCount: Int
    /// Size of one slot's frame data, in bytes.
    let frameBytes: Int
    let ring: SharedMemory
    let control: SharedMemory
    /// One bit for each slot that is lent to a decoder: set until no decoder and no frame refers to the slot.
    private let lent = Atomic<UInt64>(0)

    /// How many slots of this size fit into 1 GiB, the limit of a ring.
    static func fittingCount(of frameBytes: Int) -> Int { (1 << 30) / max(1, frameBytes) }

    /// - Throws: `resourceExhausted` when the memory cannot be allocated.
    init(slotCount: Int, frameBytes: Int) throws(EngineError) {
        self.slotCount = slotCount
        let alignment = FrameLayout.slotAlignment
        self.frameBytes = (max(1, frameBytes) + alignment - 1) / alignment * alignment
        let frames = FrameLayout.headerBytes + slotCount * FrameLayout.slotHeaderBytes
        let byteCount = frames + slotCount * self.frameBytes
        do throws(SystemError) {
            ring = try SharedMemory(name: "engine-frames", byteCount: byteCount, writer: .maker)
            control = try SharedMemory(
                name: "engine-control",
                byteCount: FrameLayout.controlBytes,
                writer: .everybody
            )
        } catch {
            throw EngineError(.resourceExhausted, "cannot allocate \(byteCount) bytes", cause: "\(error)")
        }
        typealias Header = FrameLayout.Header
        ring.storeReleasing(FrameLayout.version, at: Header.version)
        ring.storeReleasing(UInt32(slotCount), at: Header.slotCount)
        ring.storeReleasing(UInt32(FrameLayout.slotHeaderBytes), at: Header.slotHeaderBytes)
        ring.storeReleasing(UInt64(FrameLayout.headerBytes), at: Header.slotHeaders)
        ring.storeReleasing(UInt64(frames), at: Header.pictures)
        ring.storeReleasing(UInt64(self.frameBytes), at: Header.pictureBytes)
        ring.storeReleasing(UInt64(byteCount), at: Header.ringBytes)
        ring.storeReleasing(FrameLayout.magic, at: Header.magic)
    }

    func headerOffset(of slot: Int) -> Int { FrameLayout.headerBytes + slot * FrameLayout.slotHeaderBytes }

    func frameOffset(of slot: Int) -> Int {
        FrameLayout.headerBytes + slotCount * FrameLayout.slotHeaderBytes + slot * frameBytes
    }

    // MARK: Decoders

    /// Lends a slot to a decoder, until nothing refers to the returned `FrameSlot` any more. From now on the front-end
    /// must not read the slot.
    func lend(_ slot: Int) -> FrameSlot {
        close(slot)
        lent.bitwiseOr(1 << slot, ordering: .acquiringAndReleasing)
        // The closure keeps this memory alive while anything refers to the slot.
        return FrameSlot(in: ring, at: frameOffset(of: slot), byteCount: frameBytes) { [self] in
            lent.bitwiseAnd(~(1 << slot), ordering: .acquiringAndReleasing)
        }
    }

    func isLent(_ slot: Int) -> Bool { lent.load(ordering: .acquiring) & 1 << slot != 0 }

    var lentCount: Int { lent.load(ordering: .acquiring).nonzeroBitCount }

    /// The slot that contains `frame`, with the frame's layout. `nil` for a frame in other memory.
    func place(of frame: VideoFrame) -> (slot: Int, layout: PlaneLayout)? {
        guard let start = frame.place(in: ring), start >= frameOffset(of: 0) else { return nil }
        let slot = (start - frameOffset(of: 0)) / frameBytes
        let layout = PlaneLayout(of: frame, in: ring, at: frameOffset(of: slot), count: frameBytes)
        return layout.map { (slot, $0) }
    }

    // MARK: The ring's header

    /// Publishes the playhead, under a seqlock.
    func write(_ anchor: PositionAnchor, generation: UInt64) {
        typealias Header = FrameLayout.Header
        let sequence = ring.loadAcquiring(UInt32.self, at: Header.clockSequence)
        ring.storeReleasing(sequence &+ 1, at: Header.clockSequence)
        ring.fence()
        ring.storeReleasing(1 as UInt32, at: Header.clockIsKnown)
        ring.storeReleasing(UInt64(bitPattern: anchor.position.microseconds), at: Header.position)
        ring.storeReleasing(anchor.rate.bitPattern, at: Header.rate)
        ring.storeReleasing(UInt64(bitPattern: anchor.monotonicNanoseconds), at: Header.monotonic)
        ring.storeReleasing(generation, at: Header.clockGeneration)
        ring.fence()
        ring.storeReleasing(sequence &+ 2, at: Header.clockSequence)
    }

    func write(generation: UInt64) { ring.storeReleasing(generation, at: FrameLayout.Header.generation) }

    func write(endedGeneration: UInt64) {
        ring.storeReleasing(endedGeneration, at: FrameLayout.Header.endedGeneration)
    }

    func write(dropped: UInt64) { ring.storeReleasing(dropped, at: FrameLayout.Header.dropped) }

    func write(published: UInt64) { ring.storeReleasing(published, at: FrameLayout.Header.published) }

    func retire() { ring.storeReleasing(1 as UInt32, at: FrameLayout.Header.isRetired) }

    // MARK: Slots

    /// Clears the slot's sequence number: from now on the front-end must not read the slot.
    func close(_ slot: Int) {
        ring.storeReleasing(0 as UInt64, at: headerOffset(of: slot) + FrameLayout.Slot.sequence)
        ring.fence()
    }

    /// Sets the slot's sequence number: from now on the slot belongs to the front-end.
    func publish(_ slot: Int, as sequence: UInt64, generation: UInt64) {
        let header = headerOffset(of: slot)
        ring.storeReleasing(generation, at: header + FrameLayout.Slot.generation)
        ring.storeReleasing(sequence, at: header + FrameLayout.Slot.sequence)
        write(published: sequence)
    }

    /// Whether the front-end reports that it has released the frame `sequence` in `slot`.
    func isReleased(_ slot: Int, _ sequence: UInt64) -> Bool {
        control.loadAcquiring(at: FrameLayout.Control.released + slot * 8) == sequence
    }
}
