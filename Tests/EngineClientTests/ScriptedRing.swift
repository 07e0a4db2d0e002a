// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime

/// A ring of frames that a test fills, as the engine would.
final class ScriptedRing: Handover {
    static let slotCount = 3
    private static let frames = FrameLayout.headerBytes + slotCount * FrameLayout.slotHeaderBytes
    private static let frameBytes = 4096

    let ring: SharedMemory
    let control: SharedMemory
    let askedCount = Locked(0)
    let isOver = Locked(false)
    private let peer = Locked<(any HandoverPeer)?>(nil)

    init() throws {
        ring = try SharedMemory(
            name: "test",
            byteCount: Self.frames + Self.slotCount * Self.frameBytes,
            writer: .maker
        )
        control = try SharedMemory(name: "test", byteCount: FrameLayout.controlBytes, writer: .everybody)
        typealias Header = FrameLayout.Header
        ring.storeReleasing(FrameLayout.magic, at: Header.magic)
        ring.storeReleasing(FrameLayout.version, at: Header.version)
        ring.storeReleasing(UInt32(Self.slotCount), at: Header.slotCount)
        ring.storeReleasing(UInt32(FrameLayout.slotHeaderBytes), at: Header.slotHeaderBytes)
        ring.storeReleasing(UInt64(FrameLayout.headerBytes), at: Header.slotHeaders)
        setGeneration(1)
    }

    func setGeneration(_ generation: UInt64) { ring.storeReleasing(generation, at: FrameLayout.Header.generation) }

    func end() {
        ring.storeReleasing(
            ring.loadAcquiring(at: FrameLayout.Header.generation),
            at: FrameLayout.Header.endedGeneration
        )
    }

    /// Puts a frame of 2 by 2 pixels, whose bytes are its sequence number, into a slot.
    func put(_ slot: Int, _ sequence: UInt64, at seconds: Double, generation: UInt64 = 1) {
        typealias Slot = FrameLayout.Slot
        let header = FrameLayout.headerBytes + slot * FrameLayout.slotHeaderBytes
        let start = Self.frames + slot * Self.frameBytes
        ring.copy([UInt8](repeating: UInt8(truncatingIfNeeded: sequence), count: 8), to: start)
        ring.storeReleasing(generation, at: header + Slot.generation)
        ring.storeReleasing(UInt64(bitPattern: MediaTime.seconds(seconds).microseconds), at: header + Slot.time)
        ring.storeReleasing(2 as UInt32, at: header + Slot.width)
        ring.storeReleasing(2 as UInt32, at: header + Slot.height)
        ring.copy(Array("gray\0".utf8), to: header + Slot.formatName)
        ring.storeReleasing(1 as UInt32, at: header + Slot.planeCount)
        setPlane(slot, offset: UInt64(start), stride: 4, rows: 2, rowBytes: 2)
        ring.storeReleasing(sequence, at: header + Slot.sequence)
        ring.storeReleasing(sequence, at: FrameLayout.Header.published)
    }

    func setPlane(_ slot: Int, offset: UInt64, stride: UInt32, rows: UInt32, rowBytes: UInt32) {
        typealias Slot = FrameLayout.Slot
        let place = FrameLayout.headerBytes + slot * FrameLayout.slotHeaderBytes + Slot.planes
        ring.storeReleasing(offset, at: place + Slot.planeOffset)
        ring.storeReleasing(stride, at: place + Slot.planeStride)
        ring.storeReleasing(rows, at: place + Slot.planeRows)
        ring.storeReleasing(rowBytes, at: place + Slot.planeRowBytes)
    }

    /// The sequence number that the front-end last released in a slot.
    func released(_ slot: Int) -> UInt64 { control.loadAcquiring(at: FrameLayout.Control.released + slot * 8) }

    func send(_ message: HandoverMessage) { peer.withLock { $0 }?.send(message, descriptors: []) }

    // MARK: Handover

    func begin(_ peer: any HandoverPeer) {
        self.peer.withLock { $0 = peer }
        peer.send(
            HandoverMessage(.memory, value: UInt64(ring.byteCount)),
            descriptors: [ring.descriptor, control.descriptor]
        )
    }

    func asked() {
        askedCount.withLock { $0 += 1 }
        send(HandoverMessage(.news))
    }

    func ended() { isOver.withLock { $0 = true } }
}
