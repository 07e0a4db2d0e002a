// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The memory of an audio ring, and the control page that its front-end writes to (`docs/frames.md`).
final class AudioMemory: Sendable {
    let format: AudioFormat
    /// Capacity in samples per channel.
    let capacity: Int
    let ring: SharedMemory
    let control: SharedMemory

    /// - Throws: `resourceExhausted` when the memory cannot be allocated.
    init(_ format: AudioFormat, capacity: Int) throws(EngineError) {
        self.format = format
        self.capacity = capacity
        let byteCount = AudioLayout.samples + capacity * format.stride
        do throws(SystemError) {
            ring = try SharedMemory(name: "engine-sound", byteCount: byteCount, writer: .maker)
            control = try SharedMemory(
                name: "engine-control",
                byteCount: AudioLayout.controlBytes,
                writer: .everybody
            )
        } catch {
            throw EngineError(.resourceExhausted, "cannot allocate \(byteCount) bytes", cause: "\(error)")
        }
        typealias Header = AudioLayout.Header
        ring.storeReleasing(AudioLayout.version, at: Header.version)
        ring.storeReleasing(format.samples == .int16 ? 2 : 1 as UInt32, at: Header.format)
        ring.storeReleasing(UInt32(format.layout.count), at: Header.channels)
        ring.storeReleasing(UInt32(format.rate), at: Header.rate)
        ring.storeReleasing(UInt32(format.stride), at: Header.frameBytes)
        ring.storeReleasing(format.layout.mask, at: Header.channelMask)
        ring.storeReleasing(UInt64(AudioLayout.samples), at: Header.samples)
        ring.storeReleasing(UInt64(capacity), at: Header.capacity)
        ring.storeReleasing(UInt64(byteCount), at: Header.ringBytes)
        var name = Array(format.layout.name.utf8.prefix(Header.layoutNameBytes - 1))
        name += [UInt8](repeating: 0, count: Header.layoutNameBytes - name.count)
        ring.copy(name, to: Header.layoutName)
        ring.storeReleasing(AudioLayout.magic, at: Header.magic)
    }

    // MARK: Samples

    /// Writes samples at a position counted from the first sample ever written. The front-end reads them only after
    /// `publish`.
    func write(_ block: SampleBlock, _ range: Range<Int>, at sample: UInt64) {
        guard let bytes = block.planes.first else { return }
        let start = Int(sample % UInt64(capacity))
        let first = min(range.count, capacity - start)
        let stride = format.stride
        copy(bytes, range.lowerBound * stride, first * stride, to: start * stride)
        copy(bytes, (range.lowerBound + first) * stride, (range.count - first) * stride, to: 0)
    }

    private func copy(_ bytes: [UInt8], _ from: Int, _ count: Int, to place: Int) {
        guard count > 0, bytes.count - from >= count else { return }
        ring.copy(Array(bytes[from..<from + count]), to: AudioLayout.samples + place)
    }

    /// Publishes samples that were written: from now on the front-end may read them.
    func publish(_ block: AudioBlock, number: UInt64) {
        typealias Block = AudioLayout.Block
        let place =
            AudioLayout.headerBytes + Int((number - 1) % UInt64(AudioLayout.blockCount)) * AudioLayout.blockBytes
        ring.storeReleasing(0 as UInt64, at: place + Block.number)
        ring.fence()
        ring.storeReleasing(block.generation, at: place + Block.generation)
        ring.storeReleasing(block.first, at: place + Block.firstSample)
        ring.storeReleasing(UInt64(block.count), at: place + Block.sampleCount)
        ring.storeReleasing(UInt64(bitPattern: block.time.microseconds), at: place + Block.time)
        ring.storeReleasing(block.isDiscontinuous ? 1 : 0 as UInt32, at: place + Block.flags)
        ring.storeReleasing(number, at: place + Block.number)
        ring.storeReleasing(number, at: AudioLayout.Header.blocksWritten)
        ring.storeReleasing(block.first + UInt64(block.count), at: AudioLayout.Header.written)
    }

    func write(generation: UInt64, start: UInt64) {
        ring.storeReleasing(start, at: AudioLayout.Header.generationStart)
        ring.storeReleasing(generation, at: AudioLayout.Header.generation)
    }

    func write(endedGeneration: UInt64) {
        ring.storeReleasing(endedGeneration, at: AudioLayout.Header.endedGeneration)
    }

    func write(isRunning: Bool) {
        ring.storeReleasing(isRunning ? 1 : 0 as UInt32, at: AudioLayout.Header.isRunning)
    }

    func retire() { ring.storeReleasing(1 as UInt32, at: AudioLayout.Header.isRetired) }

    // MARK: Reported by the front-end

    var consumed: UInt64 { control.loadAcquiring(at: AudioLayout.Control.consumed) }

    /// The number of samples heard, and when. `nil` while the front-end is writing its clock, or if it has never
    /// written it.
    var clock: (played: UInt64, moment: Int64)? {
        typealias Control = AudioLayout.Control
        for _ in 0..<4 {
            let sequence = control.loadAcquiring(UInt32.self, at: Control.clockSequence)
            let played = control.loadAcquiring(at: Control.played)
            let moment = control.loadAcquiring(at: Control.moment)
            control.fence()
            guard sequence != 0, sequence % 2 == 0 else { continue }
            if control.loadAcquiring(UInt32.self, at: Control.clockSequence) == sequence {
                return (played, Int64(bitPattern: moment))
            }
        }
        return nil
    }
}

/// Consecutive samples. `first` counts from the first sample ever written.
struct AudioBlock: Hashable, Sendable {
    let generation: UInt64
    let first: UInt64
    let count: Int
    let time: MediaTime
    let isDiscontinuous: Bool
}
