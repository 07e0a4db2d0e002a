// SPDX-License-Identifier: Apache-2.0

package import EngineRuntime

/// Memory that decoders write their frames to directly, which avoids a copy.
package protocol DecoderMemory: AnyObject, Sendable {
    /// Returns a slot for a frame that is about to be decoded. Called on any thread; must return at once.
    ///
    /// - Returns: `nil` if no slot is free, or none fits the frame; libavcodec then allocates the frame.
    func room(for frame: FrameNeed) -> FrameSlot?
}

/// The requirements of a frame that is about to be decoded.
package struct FrameNeed: Hashable, Sendable {
    /// FFmpeg's name of the pixel format.
    package let formatName: String
    /// The visible size, in pixels.
    package let width: Int
    package let height: Int
    /// Including the padding that the decoder writes to.
    package let byteCount: Int

    package init(formatName: String, width: Int, height: Int, byteCount: Int) {
        self.formatName = formatName
        self.width = width
        self.height = height
        self.byteCount = byteCount
    }
}

/// A region of memory that a decoder may use as long as the decoder or any frame in it refers to the region.
package final class FrameSlot: Sendable {
    let memory: SharedMemory
    let offset: Int
    let byteCount: Int
    private let giveBack: @Sendable () -> Void

    /// - Parameters:
    ///   - offset: a multiple of `PlaneLayout.alignment`.
    ///   - giveBack: called once, on any thread, when nothing refers to the region any more. It must return at once.
    package init(in memory: SharedMemory, at offset: Int, byteCount: Int, giveBack: @escaping @Sendable () -> Void) {
        self.memory = memory
        self.offset = offset
        self.byteCount = byteCount
        self.giveBack = giveBack
    }

    deinit { giveBack() }
}
