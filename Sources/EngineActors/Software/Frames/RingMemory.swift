// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Synchronization

/// The memory of a ring of pictures, and the page that its front-end writes to (`docs/frames.md`).
///
/// Nothing here believes what the page says: what is read of it is compared, never used as a place.
final class RingMemory: Sendable {
    let slotCount: Int
    /// Of one slot's picture.
    let pictureBytes: Int
    let ring: SharedMemory
    let control: SharedMemory
    /// A bit for each slot that a decoder, or a picture that lies there, refers to.
    private let lent = Atomic<UInt64>(0)

    /// How many slots of a size there is room for in all: a gigabyte.
    static func fittingCount(of pictureBytes: Int) -> Int { (1 << 30) / max(1, pictureBytes) }

    /// - Throws: `resourceExhausted` when there is no such memory.
    init(slotCount: Int, pictureBytes: Int) throws(EngineError) {
        self.slotCount = slotCount
        let alignment = FrameLayout.slotAlignment
        self.pictureBytes = (max(1, pictureBytes) + alignment - 1) / alignment * alignment
        let pictures = FrameLayout.headerBytes + slotCount * FrameLayout.slotHeaderBytes
        let byteCount = pictures + slotCount * self.pictureBytes
        do throws(SystemError) {
            ring = try SharedMemory(name: "engine-frames", byteCount: byteCount, writer: .maker)
            control = try SharedMemory(
                name: "engine-control",
                byteCount: FrameLayout.controlBytes,
                writer: .everybody
            )
        } catch {
            throw EngineError(.resourceExhausted, "there is no memory for \(byteCount) bytes", cause: "\(error)")
        }
        typealias Header = FrameLayout.Header
        ring.storeReleasing(FrameLayout.version, at: Header.version)
        ring.storeReleasing(UInt32(slotCount), at: Header.slotCount)
        ring.storeReleasing(UInt32(FrameLayout.slotHeaderBytes), at: Header.slotHeaderBytes)
        ring.storeReleasing(UInt64(FrameLayout.headerBytes), at: Header.slotHeaders)
        ring.storeReleasing(UInt64(pictures), at: Header.pictures)
        ring.storeReleasing(UInt64(self.pictureBytes), at: Header.pictureBytes)
        ring.storeReleasing(UInt64(byteCount), at: Header.ringBytes)
        ring.storeReleasing(FrameLayout.magic, at: Header.magic)
    }

    func headerOffset(of slot: Int) -> Int { FrameLayout.headerBytes + slot * FrameLayout.slotHeaderBytes }

    func pictureOffset(of slot: Int) -> Int {
        FrameLayout.headerBytes + slotCount * FrameLayout.slotHeaderBytes + slot * pictureBytes
    }

    // MARK: Decoders

    /// A slot for a decoder, which is no longer lent when nothing refers to it any more. Nobody may look at it from here on.
    func lend(_ slot: Int) -> PictureRoom {
        close(slot)
        lent.bitwiseOr(1 << slot, ordering: .acquiringAndReleasing)
        // What refers to the room keeps this memory.
        return PictureRoom(in: ring, at: pictureOffset(of: slot), byteCount: pictureBytes) { [self] in
            lent.bitwiseAnd(~(1 << slot), ordering: .acquiringAndReleasing)
        }
    }

    func isLent(_ slot: Int) -> Bool { lent.load(ordering: .acquiring) & 1 << slot != 0 }

    var lentCount: Int { lent.load(ordering: .acquiring).nonzeroBitCount }

    /// The slot in which `frame` lies, and how. `nil` for one that lies elsewhere.
    func place(of frame: VideoFrame) -> (slot: Int, layout: PictureLayout)? {
        guard let start = frame.place(in: ring), start >= pictureOffset(of: 0) else { return nil }
        let slot = (start - pictureOffset(of: 0)) / pictureBytes
        let layout = PictureLayout(of: frame, in: ring, at: pictureOffset(of: slot), count: pictureBytes)
        return layout.map { (slot, $0) }
    }

    // MARK: The ring's header

    /// The playhead, under a seqlock.
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

    /// Nobody may look at the slot from here on.
    func close(_ slot: Int) {
        ring.storeReleasing(0 as UInt64, at: headerOffset(of: slot) + FrameLayout.Slot.sequence)
        ring.fence()
    }

    /// The slot is the front-end's from here on.
    func publish(_ slot: Int, as sequence: UInt64, generation: UInt64) {
        let header = headerOffset(of: slot)
        ring.storeReleasing(generation, at: header + FrameLayout.Slot.generation)
        ring.storeReleasing(sequence, at: header + FrameLayout.Slot.sequence)
        write(published: sequence)
    }

    /// Whether the front-end says that it is done with the picture `sequence` in `slot`.
    func isReleased(_ slot: Int, _ sequence: UInt64) -> Bool {
        control.loadAcquiring(at: FrameLayout.Control.released + slot * 8) == sequence
    }
}
