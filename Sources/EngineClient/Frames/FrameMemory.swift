// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// The front-end's view of a frame ring, validated before it is used (`docs/frames.md`).
final class FrameMemory: Sendable {
    let slotCount: Int
    private let ring: SharedMemory
    private let control: SharedMemory
    private let slotHeaders: Int
    private let slotHeaderBytes: Int

    /// - Throws: `internal` for memory that cannot be mapped or is not a ring of a known version.
    init(ring: CInt, control: CInt) throws(EngineClientError) {
        let mapped = try RingMemory(ring: ring, control: control)
        let memory = mapped.ring
        self.control = mapped.control
        typealias Header = FrameLayout.Header
        guard memory.byteCount >= FrameLayout.headerBytes, self.control.byteCount >= FrameLayout.controlBytes,
            memory.loadAcquiring(UInt32.self, at: Header.magic) == FrameLayout.magic,
            memory.loadAcquiring(UInt32.self, at: Header.version) == FrameLayout.version
        else { throw EngineClientError(.internal, "the engine's memory is not a frame ring") }
        slotCount = Int(memory.loadAcquiring(UInt32.self, at: Header.slotCount))
        slotHeaderBytes = Int(memory.loadAcquiring(UInt32.self, at: Header.slotHeaderBytes))
        slotHeaders = Int(clamping: memory.loadAcquiring(at: Header.slotHeaders))
        guard FramesRequest.slotCounts.contains(slotCount), slotHeaderBytes >= FrameLayout.Slot.dolbyVision,
            slotHeaders <= memory.byteCount - slotCount * slotHeaderBytes, slotHeaders % 8 == 0,
            slotHeaderBytes % 8 == 0
        else { throw EngineClientError(.internal, "the engine's ring does not fit its memory") }
        self.ring = memory
    }

    var generation: UInt64 { ring.loadAcquiring(at: FrameLayout.Header.generation) }
    var published: UInt64 { ring.loadAcquiring(at: FrameLayout.Header.published) }
    var dropped: UInt64 { ring.loadAcquiring(at: FrameLayout.Header.dropped) }
    var endedGeneration: UInt64 { ring.loadAcquiring(at: FrameLayout.Header.endedGeneration) }

    /// The playhead and its generation. `nil` while it is unknown.
    var clock: (anchor: PositionAnchor, generation: UInt64)? {
        typealias Header = FrameLayout.Header
        while true {
            let sequence = ring.loadAcquiring(UInt32.self, at: Header.clockSequence)
            let isKnown = ring.loadAcquiring(UInt32.self, at: Header.clockIsKnown) != 0
            let position = Int64(bitPattern: ring.loadAcquiring(at: Header.position))
            let rate = Double(bitPattern: ring.loadAcquiring(at: Header.rate))
            let moment = Int64(bitPattern: ring.loadAcquiring(at: Header.monotonic))
            let generation = ring.loadAcquiring(at: Header.clockGeneration)
            ring.fence()
            guard sequence % 2 == 0, ring.loadAcquiring(UInt32.self, at: Header.clockSequence) == sequence else {
                continue
            }
            let anchor = PositionAnchor(
                position: MediaTime(microseconds: position),
                rate: rate,
                monotonicNanoseconds: moment,
                requestedRate: rate
            )
            return isKnown ? (anchor, generation) : nil
        }
    }

    // MARK: Slots

    private func header(of slot: Int) -> Int { slotHeaders + slot * slotHeaderBytes }

    /// The sequence number of the frame in `slot`. `nil` if the slot is empty or its frame has been released.
    func held(_ slot: Int) -> UInt64? {
        let sequence = ring.loadAcquiring(at: header(of: slot) + FrameLayout.Slot.sequence)
        let released = control.loadAcquiring(at: FrameLayout.Control.released + slot * 8)
        return sequence == 0 || sequence == released ? nil : sequence
    }

    func generation(of slot: Int) -> UInt64 {
        ring.loadAcquiring(at: header(of: slot) + FrameLayout.Slot.generation)
    }

    func time(of slot: Int) -> MediaTime {
        let time = ring.loadAcquiring(at: header(of: slot) + FrameLayout.Slot.time)
        return MediaTime(microseconds: Int64(bitPattern: time))
    }

    func release(_ slot: Int, _ sequence: UInt64) {
        control.storeReleasing(sequence, at: FrameLayout.Control.released + slot * 8)
    }

    func noteShown(_ sequence: UInt64) { control.storeReleasing(sequence, at: FrameLayout.Control.shown) }

    /// The description of the frame in a slot that has not been released. `nil` if its planes are not within the
    /// memory.
    func description(of slot: Int) -> FrameDescription? {
        FrameDescription(header(of: slot), of: slotHeaderBytes, in: ring)
    }

    /// Lends the bytes of one plane of a frame in a slot that has not been released. Every plane that
    /// `description(of:)` returns lies within the memory.
    func withBytes<Value, Failure: Error>(
        of plane: FrameDescription.Plane,
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try ring.withBytes(at: plane.offset, count: plane.byteCount, body)
    }
}
