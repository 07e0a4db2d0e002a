// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// One decoded picture, immutable from the moment it exists.
@safe package final class Picture: Sendable {
    // SAFETY: written only before it was given to the initializer; afterwards everyone reads. Its planes are `AVBufferRef`s,
    // whose counts are atomic.
    private nonisolated(unsafe) let pointer: UnsafeMutablePointer<AVFrame>

    init(taking pointer: UnsafeMutablePointer<AVFrame>) { unsafe self.pointer = pointer }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&pointer)
    }

    /// As it is decoded, in pixels.
    package var width: Int { unsafe Int(pointer.pointee.width) }
    package var height: Int { unsafe Int(pointer.pointee.height) }
    /// The presentation time of its packet, in ticks of the stream.
    package var pts: Int64? { unsafe pointer.pointee.pts.timestamp }
    /// The decode time of the packet that it was decoded from, in ticks of the stream.
    package var dts: Int64? { unsafe pointer.pointee.pkt_dts.timestamp }
    /// In ticks of the stream. 0 when unknown.
    package var duration: Int64 { unsafe pointer.pointee.pkt_duration }
    package var isKey: Bool { unsafe pointer.pointee.key_frame != 0 }
    package var isInterlaced: Bool { unsafe pointer.pointee.interlaced_frame != 0 }

    /// Lends the C frame to `body`. C must not write to it, nor to its planes.
    @unsafe func withPointer<Value, Failure: Error>(
        _ body: (UnsafePointer<AVFrame>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try unsafe body(UnsafePointer(pointer))
    }
}
