// SPDX-License-Identifier: Apache-2.0

/// The memory layout of a frame ring: `docs/frames.md`, `examples/c/engine_frames.h`. All numbers are little-endian.
package enum FrameLayout {
    package static let magic: UInt32 = 0x4D52_4645
    package static let version: UInt32 = 1
    /// Size of the ring's header.
    package static let headerBytes = 4096
    /// Distance from one slot's header to the next.
    package static let slotHeaderBytes = 16_384
    /// Size of the page that the front-end writes to.
    package static let controlBytes = 4096
    /// Alignment of planes, and of the frame data of slots.
    package static let planeAlignment = 64
    package static let slotAlignment = 4096

    /// Offsets in the ring's header.
    package enum Header {
        package static let magic = 0
        package static let version = 4
        package static let slotCount = 8
        package static let slotHeaderBytes = 12
        package static let slotHeaders = 16
        package static let pictures = 24
        package static let pictureBytes = 32
        package static let ringBytes = 40
        /// The seqlock of the five fields that follow: odd while they are being written.
        package static let clockSequence = 64
        package static let clockIsKnown = 68
        package static let position = 72
        package static let rate = 80
        package static let monotonic = 88
        package static let clockGeneration = 96
        /// The sequence number of the newest frame.
        package static let published = 128
        /// Only frames of this generation may be shown.
        package static let generation = 136
        /// The generation that has no further frames; 0: none yet.
        package static let endedGeneration = 144
        /// Frames that were dropped because no slot was free.
        package static let dropped = 152
        /// Non-zero once the engine no longer writes to this ring.
        package static let isRetired = 160
    }

    /// Offsets in a slot's header.
    package enum Slot {
        /// 0 while the slot is being written.
        package static let sequence = 0
        package static let generation = 8
        package static let time = 16
        package static let duration = 24
        package static let sourceTicks = 32
        package static let sourceDuration = 40
        package static let timeBaseNumerator = 48
        package static let timeBaseDenominator = 52
        package static let width = 56
        package static let height = 60
        /// FFmpeg's name of the pixel format, NUL-terminated.
        package static let formatName = 64
        package static let formatNameBytes = 32
        package static let planeCount = 96
        package static let planes = 104
        package static let planeBytes = 24
        /// Offsets in a plane: offset from the ring's start, stride, rows, bytes per row that hold pixels.
        package static let planeOffset = 0
        package static let planeStride = 8
        package static let planeRows = 12
        package static let planeRowBytes = 16
        package static let primaries = 200
        package static let transfer = 202
        package static let matrix = 204
        package static let range = 206
        package static let chromaLocation = 208
        package static let rotation = 210
        package static let flags = 212
        package static let aspectNumerator = 216
        package static let aspectDenominator = 220
        /// Red, green, blue and white as x and y in 1/50000, then maximum and minimum luminance in 1/10000 cd/m².
        package static let mastering = 224
        package static let maximumContentLight = 264
        package static let maximumAverageLight = 268
        /// Offsets from the start of the slot's header, and byte counts; 0 if absent.
        package static let hdr10PlusOffset = 272
        package static let hdr10PlusBytes = 276
        package static let dolbyVisionOffset = 280
        package static let dolbyVisionBytes = 284
        /// The offsets of the two metadata payloads that the four fields above refer to, and their maximum sizes.
        package static let hdr10Plus = 512
        package static let hdr10PlusLimit = 3584
        package static let dolbyVision = 4096
        package static let dolbyVisionLimit = 12_288
    }

    /// Bits of `Slot.flags`.
    package enum Flag {
        package static let key: UInt32 = 1
        package static let interlaced: UInt32 = 2
        package static let topFieldFirst: UInt32 = 4
        package static let damaged: UInt32 = 8
        package static let mastering: UInt32 = 16
        package static let contentLight: UInt32 = 32
    }

    /// Offsets in the control page.
    package enum Control {
        /// The sequence number of the frame that was shown last.
        package static let shown = 0
        /// For each slot, the sequence number of the last frame in it that the front-end has released: 64 bits each.
        package static let released = 64
    }
}
