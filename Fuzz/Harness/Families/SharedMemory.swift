// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Glibc

@testable import EngineClient

/// The input is what an engine wrote into a ring: its header, then the headers of slots or the samples.
func exerciseSharedMemory(_ bytes: [UInt8]) {
    exerciseFrameMemory(bytes)
    exerciseAudioMemory(bytes)
}

/// Duplicates of both descriptors, which the mapping of the memory takes over. `nil` if they cannot be duplicated.
private func copies(_ ring: SharedMemory, _ control: SharedMemory) -> (CInt, CInt)? {
    let (first, second) = (dup(ring.descriptor), dup(control.descriptor))
    guard first >= 0, second >= 0 else {
        close(first)
        close(second)
        return nil
    }
    return (first, second)
}

private func memory(_ bytes: [UInt8], headerBytes: Int, count: Int, _ magic: UInt32) -> (SharedMemory, SharedMemory)? {
    guard let ring = try? SharedMemory(name: "fuzz-ring", byteCount: count, writer: .maker),
        let control = try? SharedMemory(name: "fuzz-control", byteCount: 4096, writer: .everybody)
    else { return nil }
    ring.copy(Array(bytes.prefix(256)), to: 0)
    ring.copy(Array(bytes.dropFirst(256).prefix(1024)), to: headerBytes)
    // With another magic number, nothing else is read.
    ring.storeReleasing(magic, at: 0)
    ring.storeReleasing(1 as UInt32, at: 4)
    return (ring, control)
}

private func exerciseFrameMemory(_ bytes: [UInt8]) {
    let size = FrameLayout.headerBytes + 3 * FrameLayout.slotHeaderBytes + 3 * 4096
    guard let (ring, control) = memory(bytes, headerBytes: FrameLayout.headerBytes, count: size, FrameLayout.magic),
        let (first, second) = copies(ring, control),
        let frames = try? FrameMemory(ring: first, control: second)
    else { return }
    _ = (frames.generation, frames.published, frames.dropped, frames.endedGeneration)
    for slot in 0..<frames.slotCount {
        if let sequence = frames.held(slot) { frames.release(slot, sequence) }
        _ = (frames.generation(of: slot), frames.time(of: slot))
        guard let description = frames.description(of: slot) else { continue }
        for plane in description.planes {
            frames.withBytes(of: plane) { bytes in
                expect(bytes.count <= size, "a plane lies in its ring")
                _ = bytes.count > 0 ? bytes[bytes.count - 1] : 0
            }
        }
    }
}

private func exerciseAudioMemory(_ bytes: [UInt8]) {
    let size = AudioLayout.samples + 4096
    guard let (ring, control) = memory(bytes, headerBytes: AudioLayout.headerBytes, count: size, AudioLayout.magic),
        let (first, second) = copies(ring, control),
        let audio = try? AudioMemory(ring: first, control: second)
    else { return }
    _ = (audio.generation, audio.generationStart, audio.endedGeneration, audio.isRunning)
    for sample in [0, audio.written, audio.written &- 1, audio.generationStart, UInt64.max] {
        guard let block = audio.block(holding: sample) else { continue }
        expect(sample >= block.first && sample - block.first < block.count, "a block holds what was looked for")
    }
    _ = audio.samples(1, from: audio.written)
}
