// SPDX-License-Identifier: Apache-2.0

package import EngineRuntime

/// Memory that a decoder writes its pictures to from the start, so that nobody has to copy them there.
package protocol PictureMemory: AnyObject, Sendable {
    /// A place for a picture that is about to be decoded. Called on any thread; returns at once.
    ///
    /// - Returns: `nil` where there is none for now, or none for such pictures: they lie elsewhere then.
    func room(for picture: PictureNeed) -> PictureRoom?
}

/// A picture that is about to be decoded.
package struct PictureNeed: Hashable, Sendable {
    /// FFmpeg's name of the pixel format.
    package let formatName: String
    /// Of what is seen of it.
    package let width: Int
    package let height: Int
    /// With all that a decoder writes around what is seen.
    package let byteCount: Int

    package init(formatName: String, width: Int, height: Int, byteCount: Int) {
        self.formatName = formatName
        self.width = width
        self.height = height
        self.byteCount = byteCount
    }
}

/// A stretch of memory that is a decoder's until neither it nor any picture that lies there refers to it.
package final class PictureRoom: Sendable {
    let memory: SharedMemory
    let offset: Int
    let byteCount: Int
    private let giveBack: @Sendable () -> Void

    /// - Parameters:
    ///   - offset: a multiple of `PictureLayout.alignment`.
    ///   - giveBack: called once, on any thread, when nothing refers to it any more. It returns at once.
    package init(in memory: SharedMemory, at offset: Int, byteCount: Int, giveBack: @escaping @Sendable () -> Void) {
        self.memory = memory
        self.offset = offset
        self.byteCount = byteCount
        self.giveBack = giveBack
    }

    deinit { giveBack() }
}
