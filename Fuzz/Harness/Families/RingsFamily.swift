// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime

@testable import Bindings
@testable import EngineActors

/// The input is what an engine does with its rings, and what a front-end writes into the page that is its own.
func exerciseRings(_ bytes: [UInt8]) {
    exercisePictureRing(Draw(bytes))
    exerciseSoundRing(Draw(bytes))
    exerciseSharedMemory(bytes)
    guard let message = HandoverMessage(bytes) else { return }
    expect(message.bytes == bytes, "a message is written as it was read")
}

private func exercisePictureRing(_ numbers: Draw) {
    var draw = numbers
    guard let memory = try? RingMemory(slotCount: 3 + draw.index(4), pictureBytes: 64) else { return }
    var state = RingState(memory, pace: draw.byte() & 1 == 0 ? .realTime : .everyFrame)
    var generation: UInt64 = 1
    state.flush(to: generation)
    var reserved: [RingState.Reservation] = []
    /// By slot: the picture that is the front-end's.
    var held: [Int: UInt64] = [:]
    var published: UInt64 = 0
    for _ in 0..<200 where !draw.isEmpty {
        switch draw.byte() % 7 {
        case 0, 1:
            guard case .write(let slot) = state.decide(draw.time(), generation, at: draw.number()) else { continue }
            expect(!reserved.contains { $0.slot == slot.slot }, "a slot is written by one at a time")
            let released = memory.control.loadAcquiring(at: FrameLayout.Control.released + slot.slot * 8)
            expect(held[slot.slot].map { $0 == released } ?? true, "a picture that was not released stays")
            held[slot.slot] = nil
            reserved.append(slot)
        case 2:
            guard let slot = reserved.popLast(), state.publish(slot) == .taken else { continue }
            published += 1
            held[slot.slot] = published
        case 3: if let slot = reserved.popLast() { state.give(back: slot) }
        case 4:
            // A lie, or the truth about one that it holds.
            let slot = draw.index(memory.slotCount)
            let said = draw.byte() & 1 == 0 ? held[slot] ?? 0 : UInt64(bitPattern: draw.number())
            memory.control.storeReleasing(said, at: FrameLayout.Control.released + slot * 8)
        case 5:
            let position = PositionAnchor(
                position: draw.time(),
                rate: 1,
                monotonicNanoseconds: draw.number(),
                requestedRate: 1
            )
            _ = state.follow(position, generation)
        default:
            generation += 1
            state.flush(to: generation)
            for slot in reserved { expect(state.publish(slot) == .dropped, "what was flushed is not shown") }
            reserved = []
        }
    }
}

private func exerciseSoundRing(_ numbers: Draw) {
    var draw = numbers
    let format = AudioFormat(samples: .float, rate: 48_000, layout: ChannelLayout(mask: 3))
    guard let memory = try? SoundMemory(format, capacity: 1 + draw.index(600)) else { return }
    var state = SoundRingState(memory)
    var generation: UInt64 = 1
    var now: Int64 = 1_000_000_000
    state.flush(to: generation, at: now)
    for _ in 0..<200 where !draw.isEmpty {
        now += Int64(draw.index(1 << 16)) * 1000
        switch draw.byte() % 6 {
        case 0, 1:
            guard case .write(let room, let place) = state.decide(generation, at: now) else { continue }
            expect((1...memory.capacity).contains(room), "there is room for \(room) of \(memory.capacity)")
            let count = 1 + draw.index(room)
            let block = SampleBlock(planes: [[UInt8](repeating: 1, count: count * format.stride)], count: count)
            memory.write(block, 0..<count, at: place)
            _ = state.publish(count, time: draw.time(), isDiscontinuous: false, generation: generation)
        case 2: memory.control.storeReleasing(UInt64(bitPattern: draw.number()), at: SoundLayout.Control.consumed)
        case 3:
            memory.control.storeReleasing(UInt32(draw.byte()), at: SoundLayout.Control.clockSequence)
            memory.control.storeReleasing(UInt64(bitPattern: draw.number()), at: SoundLayout.Control.played)
            memory.control.storeReleasing(UInt64(bitPattern: draw.number()), at: SoundLayout.Control.moment)
        case 4: state.setRunning(draw.byte() & 1 == 0, at: now)
        default:
            generation += 1
            state.flush(to: generation, at: now)
        }
        if let heard = state.samplesHeard(at: now) { expect(heard >= 0, "\(heard) samples were heard") }
    }
}
