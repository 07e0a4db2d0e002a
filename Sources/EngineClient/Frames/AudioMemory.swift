// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// The front-end's view of an audio ring, validated before it is used (`docs/frames.md`).
final class AudioMemory: Sendable {
    let format: PCMFormat
    let channelCount: Int
    let rate: Int
    let layout: String
    let frameBytes: Int
    private let capacity: Int
    private let ring: SharedMemory
    private let control: SharedMemory

    /// - Throws: `internal` for memory that cannot be mapped or is not a ring of a known version.
    init(ring: CInt, control: CInt) throws(EngineClientError) {
        let mapped = try RingMemory(ring: ring, control: control)
        let memory = mapped.ring
        self.control = mapped.control
        typealias Header = AudioLayout.Header
        guard memory.byteCount >= AudioLayout.samples, self.control.byteCount >= AudioLayout.controlBytes,
            memory.loadAcquiring(UInt32.self, at: Header.magic) == AudioLayout.magic,
            memory.loadAcquiring(UInt32.self, at: Header.version) == AudioLayout.version
        else { throw EngineClientError(.internal, "the engine's memory is not an audio ring") }
        format = memory.loadAcquiring(UInt32.self, at: Header.format) == 2 ? .int16 : .float32
        channelCount = Int(memory.loadAcquiring(UInt32.self, at: Header.channels))
        rate = Int(memory.loadAcquiring(UInt32.self, at: Header.rate))
        frameBytes = Int(memory.loadAcquiring(UInt32.self, at: Header.frameBytes))
        capacity = Int(clamping: memory.loadAcquiring(at: Header.capacity))
        let name = memory.bytes(at: Header.layoutName, count: Header.layoutNameBytes).prefix { $0 != 0 }
        layout = String(decoding: name, as: UTF8.self)
        guard rate > 0, channelCount > 0, frameBytes == channelCount * format.byteCount, capacity > 0,
            capacity <= (memory.byteCount - AudioLayout.samples) / frameBytes
        else { throw EngineClientError(.internal, "the engine's ring does not fit its memory") }
        self.ring = memory
    }

    var written: UInt64 { ring.loadAcquiring(at: AudioLayout.Header.written) }
    var generation: UInt64 { ring.loadAcquiring(at: AudioLayout.Header.generation) }
    var generationStart: UInt64 { ring.loadAcquiring(at: AudioLayout.Header.generationStart) }
    var endedGeneration: UInt64 { ring.loadAcquiring(at: AudioLayout.Header.endedGeneration) }
    var isRunning: Bool { ring.loadAcquiring(UInt32.self, at: AudioLayout.Header.isRunning) != 0 }

    /// The bytes of `count` samples from `first` on, counted as in `written`. Overwritten samples have undefined
    /// contents.
    func samples(_ count: Int, from first: UInt64) -> [UInt8] {
        let place = Int(first % UInt64(capacity))
        let head = min(count, capacity - place)
        let bytes = ring.bytes(at: AudioLayout.samples + place * frameBytes, count: head * frameBytes)
        guard head < count else { return bytes }
        return bytes + ring.bytes(at: AudioLayout.samples, count: (count - head) * frameBytes)
    }

    /// The block that holds `sample`. `nil` when the block has been overwritten.
    func block(holding sample: UInt64) -> (first: UInt64, count: UInt64, time: MediaTime, isDiscontinuous: Bool)? {
        typealias Block = AudioLayout.Block
        let last = ring.loadAcquiring(at: AudioLayout.Header.blocksWritten)
        var number = last
        while number > 0, last - number < UInt64(AudioLayout.blockCount) {
            let index = Int((number - 1) % UInt64(AudioLayout.blockCount))
            let place = AudioLayout.headerBytes + index * AudioLayout.blockBytes
            let first = ring.loadAcquiring(at: place + Block.firstSample)
            let count = ring.loadAcquiring(at: place + Block.sampleCount)
            let time = Int64(bitPattern: ring.loadAcquiring(at: place + Block.time))
            let flags = ring.loadAcquiring(UInt32.self, at: place + Block.flags)
            ring.fence()
            guard ring.loadAcquiring(at: place + Block.number) == number else { return nil }
            if first <= sample {
                return sample - first < count ? (first, count, MediaTime(microseconds: time), flags & 1 != 0) : nil
            }
            number -= 1
        }
        return nil
    }

    func note(consumed: UInt64) { control.storeReleasing(consumed, at: AudioLayout.Control.consumed) }

    func note(played: UInt64, at moment: Int64) {
        typealias Control = AudioLayout.Control
        let sequence = control.loadAcquiring(UInt32.self, at: Control.clockSequence)
        control.storeReleasing(sequence &+ 1, at: Control.clockSequence)
        control.fence()
        control.storeReleasing(played, at: Control.played)
        control.storeReleasing(UInt64(bitPattern: moment), at: Control.moment)
        control.storeReleasing(sequence &+ 2, at: Control.clockSequence)
    }
}
