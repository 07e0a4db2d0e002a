// SPDX-License-Identifier: Apache-2.0

/// The memory layout of an audio ring: `docs/frames.md`, `examples/c/engine_frames.h`. All numbers are little-endian.
package enum AudioLayout {
    package static let magic: UInt32 = 0x4D43_5045
    package static let version: UInt32 = 1
    package static let headerBytes = 4096
    package static let blockCount = 1024
    package static let blockBytes = 64
    package static let controlBytes = 4096
    package static let samples = headerBytes + blockCount * blockBytes

    /// Offsets in the ring's header.
    package enum Header {
        package static let magic = 0
        package static let version = 4
        /// 1: 32-bit floats, 2: 16-bit integers.
        package static let format = 8
        package static let channels = 12
        package static let rate = 16
        /// Bytes per audio frame: one sample of every channel.
        package static let frameBytes = 20
        /// One bit per channel, as in WAVE and FFmpeg.
        package static let channelMask = 24
        package static let samples = 32
        /// Capacity in audio frames.
        package static let capacity = 40
        package static let ringBytes = 48
        /// FFmpeg's name of the channel layout, NUL-terminated.
        package static let layoutName = 64
        package static let layoutNameBytes = 64
        /// Audio frames written so far: the next goes to `written % capacity`.
        package static let written = 128
        /// Once this has changed, audio before `generationStart` must not be played.
        package static let generation = 136
        package static let generationStart = 144
        /// The generation that has no further audio; 0: none yet.
        package static let endedGeneration = 152
        /// Whether the audio should be playing now.
        package static let isRunning = 160
        package static let isRetired = 164
        /// Blocks written so far: the next goes to `blocksWritten % blockCount`.
        package static let blocksWritten = 168
    }

    /// Offsets in a block, which describes consecutive audio frames and their time.
    package enum Block {
        /// Counts from 1; 0 while the block is being written.
        package static let number = 0
        package static let generation = 8
        package static let firstSample = 16
        package static let sampleCount = 24
        package static let time = 32
        /// 1: not contiguous with the previous block.
        package static let flags = 40
    }

    /// Offsets in the control page.
    package enum Control {
        /// Audio frames that were read or skipped.
        package static let consumed = 0
        /// The seqlock of the two fields that follow: odd while they are being written.
        package static let clockSequence = 16
        /// The number of audio frames that had been played …
        package static let played = 24
        /// … at this time of CLOCK_MONOTONIC, in nanoseconds.
        package static let moment = 32
    }
}
