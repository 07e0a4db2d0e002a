// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A decoded frame, immutable once created.
@safe package final class VideoFrame: Sendable {
    // SAFETY: the pointee is written only before this object exists; its planes are `AVBufferRef`s, whose counts are atomic.
    private nonisolated(unsafe) let pointer: UnsafeMutablePointer<AVFrame>

    /// Takes ownership of a frame. Nothing may write to it afterwards.
    @unsafe init(taking pointer: UnsafeMutablePointer<AVFrame>) {
        unsafe self.pointer = pointer
    }

    /// Another reference to the planes and side data of `frame` (`av_frame_clone`).
    @unsafe convenience init(referencing frame: UnsafePointer<AVFrame>) {
        unsafe self.init(taking: allocated(av_frame_clone(frame), by: "av_frame_clone"))
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&pointer)
    }

    package var width: Int { unsafe Int(pointer.pointee.width) }
    package var height: Int { unsafe Int(pointer.pointee.height) }
    /// In ticks of the stream. `nil` if the frame has none.
    package var pts: Int64? { unsafe pointer.pointee.pts.timestamp }
    /// The presentation time, or libavcodec's estimate from neighbouring frames if there is none
    /// (`AVFrame.best_effort_timestamp`).
    package var estimatedTime: Int64? { unsafe pointer.pointee.best_effort_timestamp.timestamp }
    /// The decode time of the frame's packet, in ticks of the stream.
    package var dts: Int64? { unsafe pointer.pointee.pkt_dts.timestamp }
    /// In ticks of the stream. 0 when unknown.
    package var duration: Int64 { unsafe pointer.pointee.pkt_duration }
    package var isKey: Bool { unsafe pointer.pointee.key_frame != 0 }
    /// Whether the frame may be incomplete: a reference was missing, or its packet was damaged.
    package var isDamaged: Bool { unsafe pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 }
    /// Whether the frame refers to frames that are shown later.
    package var isBidirectional: Bool {
        unsafe [AV_PICTURE_TYPE_B, AV_PICTURE_TYPE_BI].contains(pointer.pointee.pict_type)
    }
    package var isInterlaced: Bool { unsafe pointer.pointee.interlaced_frame != 0 }
    package var isTopFieldFirst: Bool { unsafe pointer.pointee.top_field_first != 0 }

    /// The size of all planes without padding, in bytes (`av_image_get_buffer_size`).
    package var byteCount: Int {
        max(0, unsafe Int(av_image_get_buffer_size(format, pointer.pointee.width, pointer.pointee.height, 1)))
    }

    /// FFmpeg's name of the pixel format.
    package var formatName: String { unsafe av_get_pix_fmt_name(format).map { unsafe String(cString: $0) } ?? "" }

    var format: AVPixelFormat { unsafe AVPixelFormat(rawValue: pointer.pointee.format) }

    /// Lends the C frame to `body`. C must not write to it.
    @unsafe func withPointer<Value: ~Copyable, Failure: Error>(
        _ body: (UnsafePointer<AVFrame>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try unsafe body(UnsafePointer(pointer))
    }
}
