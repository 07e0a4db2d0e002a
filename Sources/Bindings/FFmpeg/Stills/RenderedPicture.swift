// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A picture as it is to be seen: upright, with square pixels, in 8 or 16 bits of red, green and blue.
@safe package final class RenderedPicture: Sendable {
    // SAFETY: written only before it was given to the initializer; afterwards everyone reads.
    private nonisolated(unsafe) let pointer: UnsafeMutablePointer<AVFrame>

    /// - Parameter pointer: a frame in RGB24 or RGB48, which it takes over.
    init(taking pointer: UnsafeMutablePointer<AVFrame>) { unsafe self.pointer = pointer }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&pointer)
    }

    package var width: Int { unsafe Int(pointer.pointee.width) }
    package var height: Int { unsafe Int(pointer.pointee.height) }

    /// Lends the C frame to `body`. C must not write to it, nor to its planes.
    @unsafe func withPointer<Value, Failure: Error>(
        _ body: (UnsafePointer<AVFrame>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try unsafe body(UnsafePointer(pointer))
    }
}
