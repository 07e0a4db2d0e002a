// SPDX-License-Identifier: Apache-2.0

/// Where what lies in a ring of sound: `docs/frames.md`, `examples/c/engine_frames.h`. All numbers are little-endian.
package enum SoundLayout {
    package static let magic: UInt32 = 0x4D43_5045
    package static let version: UInt32 = 1
    package static let headerBytes = 4096
    package static let blockCount = 1024
    package static let blockBytes = 64
    package static let controlBytes = 4096
    package static let samples = headerBytes + blockCount * blockBytes

    /// In the ring's header.
    package enum Header {
        package static let magic = 0
        package static let version = 4
        /// 1: 32-bit floats, 2: 16-bit integers.
        package static let format = 8
        package static let channels = 12
        package static let rate = 16
        /// Of one sample of all channels.
        package static let frameBytes = 20
        /// A bit a channel, as WAVE and FFmpeg have them.
        package static let channelMask = 24
        package static let samples = 32
        /// Samples of all channels that there is room for.
        package static let capacity = 40
        package static let ringBytes = 48
        /// FFmpeg's name of the channel layout, NUL behind it.
        package static let layoutName = 64
        package static let layoutNameBytes = 64
        /// Samples that were ever written: the next goes to `written % capacity`.
        package static let written = 128
        /// What is before `generationStart` is not to be heard once this has changed.
        package static let generation = 136
        package static let generationStart = 144
        /// The generation after whose samples there are no more; 0: none yet.
        package static let endedGeneration = 152
        /// Whether it is to be heard now.
        package static let isRunning = 160
        package static let isRetired = 164
        /// Blocks that were ever written: the next goes to `blocksWritten % blockCount`.
        package static let blocksWritten = 168
    }

    /// In a block: samples that follow each other, and their time.
    package enum Block {
        /// 1 for the first of all; 0 while it is written.
        package static let number = 0
        package static let generation = 8
        package static let firstSample = 16
        package static let sampleCount = 24
        package static let time = 32
        /// 1: does not follow the block before it.
        package static let flags = 40
    }

    /// In the control page.
    package enum Control {
        /// Samples that were read, or passed over.
        package static let consumed = 0
        /// The seqlock of the two that follow: odd while they are written.
        package static let clockSequence = 16
        /// So many samples had been heard …
        package static let played = 24
        /// … at this moment of the monotonic clock, in nanoseconds.
        package static let moment = 32
    }
}
