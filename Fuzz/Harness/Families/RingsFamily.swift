// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime

@testable import Bindings
@testable import Decoding
@testable import Reading
@testable import Segments
@testable import Sessions
@testable import Stills
@testable import Subtitles

/// The input is what an engine does with its rings, and what a front-end writes into its control page.
func exerciseRings(_ bytes: [UInt8]) {
    exercisePictureRing(Draw(bytes))
    exerciseAudioRing(Draw(bytes))
    exerciseSharedMemory(bytes)
    guard let message = HandoverMessage(bytes) else { return }
    expect(message.bytes == bytes, "a message is written as it was read")
}

private func exercisePictureRing(_ numbers: Draw) {
    var draw = numbers
    guard let memory = try? FrameRingMemory(slotCount: 3 + draw.index(6), frameBytes: 64) else { return }
    var state = FrameRingState(memory, wish: 3, pace: draw.byte() & 1 == 0 ? .realTime : .everyFrame)
    var front = FrontEnd(memory)
    var generation: UInt64 = 1
    state.flush(to: generation)
    var reserved: [FrameRingState.Reservation] = []
    /// The slots that are lent to a decoder.
    var rooms: [FrameSlot] = []
    for _ in 0..<200 where !draw.isEmpty {
        switch draw.byte() % 9 {
        case 0, 1:
            let decision = state.decide(draw.time(), generation, at: draw.number())
            front.noteReleased()
            guard case .write(let slot) = decision else { continue }
            expect(!reserved.contains { $0.slot == slot.slot }, "a slot is written by one at a time")
            expect(front.held[slot.slot] == nil, "a picture that was not released stays")
            expect(slot.layout != nil || !memory.isLent(slot.slot), "a slot that a decoder refers to stays")
            reserved.append(slot)
        case 2: if let slot = reserved.popLast() { front.note(state.publish(slot), slot.slot) }
        case 3: if let slot = reserved.popLast() { state.give(back: slot) }
        case 4: front.say(draw.index(memory.slotCount), draw.byte() & 1 == 0 ? nil : UInt64(bitPattern: draw.number()))
        case 5: _ = state.follow(anchor(&draw), generation)
        case 6:
            let room = state.lend(64)
            front.noteReleased()
            if let room { rooms.append(room) }
            for slot in 0..<memory.slotCount where memory.isLent(slot) {
                expect(front.held[slot] == nil, "a picture that was not released is no decoder's")
            }
        case 7: _ = rooms.popLast()
        default:
            generation += 1
            state.flush(to: generation)
            for slot in reserved { expect(state.publish(slot) == .dropped, "what was flushed is not shown") }
            reserved = []
        }
    }
}

private func anchor(_ draw: inout Draw) -> PositionAnchor {
    PositionAnchor(position: draw.time(), rate: 1, monotonicNanoseconds: draw.number(), requestedRate: 1)
}

/// A front-end that writes any numbers for the frames that it has released.
private struct FrontEnd {
    let memory: FrameRingMemory
    /// The picture in each slot.
    private(set) var held: [Int: UInt64] = [:]
    private var published: UInt64 = 0

    init(_ memory: FrameRingMemory) { self.memory = memory }

    private func place(_ slot: Int) -> Int { FrameLayout.Control.released + slot * 8 }

    /// - Parameter sequence: `nil`: the number of the frame that is held in the slot.
    func say(_ slot: Int, _ sequence: UInt64?) {
        memory.control.storeReleasing(sequence ?? held[slot] ?? 0, at: place(slot))
    }

    /// Forgets the frames that the control page says are released, because the ring has read the page.
    mutating func noteReleased() {
        held = held.filter { slot, sequence in memory.control.loadAcquiring(at: place(slot)) != sequence }
    }

    mutating func note(_ reception: Reception, _ slot: Int) {
        guard reception == .taken || reception == .takenInPlace else { return }
        published += 1
        held[slot] = published
    }
}

private func exerciseAudioRing(_ numbers: Draw) {
    var draw = numbers
    let format = AudioFormat(samples: .float, rate: 48_000, layout: ChannelLayout(mask: 3))
    guard let memory = try? AudioMemory(format, capacity: 1 + draw.index(600)) else { return }
    var state = AudioRingState(memory)
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
        case 2: memory.control.storeReleasing(UInt64(bitPattern: draw.number()), at: AudioLayout.Control.consumed)
        case 3:
            memory.control.storeReleasing(UInt32(draw.byte()), at: AudioLayout.Control.clockSequence)
            memory.control.storeReleasing(UInt64(bitPattern: draw.number()), at: AudioLayout.Control.played)
            memory.control.storeReleasing(UInt64(bitPattern: draw.number()), at: AudioLayout.Control.moment)
        case 4: state.setRunning(draw.byte() & 1 == 0, at: now)
        default:
            generation += 1
            state.flush(to: generation, at: now)
        }
        if let heard = state.samplesHeard(at: now) { expect(heard >= 0, "\(heard) samples were heard") }
    }
}
