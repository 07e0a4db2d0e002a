// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineRuntime

/// A decoded frame, immutable once created.
@safe package final class VideoFrame: Sendable {
    // SAFETY: the pointee is written only before this object exists; its planes are `AVBufferRef`s, whose counts are
    // atomic.
    private nonisolated(unsafe) let pointer: UnsafeMutablePointer<AVFrame>

    /// Takes ownership of a frame. Nothing may write to it afterwards.
    @unsafe init(taking pointer: UnsafeMutablePointer<AVFrame>) {
        unsafe self.pointer = pointer
    }

    /// Another reference to the planes and side data of `frame` (`av_frame_clone`).
    @unsafe convenience init(referencing frame: UnsafePointer<AVFrame>) {
        unsafe self.init(taking: allocated(av_frame_clone(frame), by: "av_frame_clone"))
    }

    /// Makes a black greyscale frame without a decoder.
    ///
    /// - Parameter pts: in ticks of the stream.
    package static func blank(width: Int, height: Int, pts: Int64?) -> VideoFrame {
        let frame = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        unsafe frame.pointee.format = AV_PIX_FMT_GRAY8.rawValue
        unsafe (frame.pointee.width, frame.pointee.height) = (CInt(width), CInt(height))
        unsafe frame.pointee.pts = pts ?? CFFmpegNoTimestamp
        let status = unsafe av_frame_get_buffer(frame, 0)
        precondition(status >= 0, "av_frame_get_buffer: out of memory")
        unsafe frame.pointee.data.0?.update(repeating: 0, count: Int(frame.pointee.linesize.0) * height)
        return unsafe VideoFrame(taking: frame)
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

    // MARK: Planes and side data

    /// The properties of the frame.
    package var facts: FrameFacts { FrameFacts(self) }

    package var packed: PackedPlanes { PackedPlanes(self) }

    /// The offset of the frame's first plane in `memory`; `nil` if it is elsewhere.
    package func place(in memory: SharedMemory) -> Int? { place(of: 0, count: 1, in: memory) }

    /// The offset of a plane of `count` bytes in `memory`; `nil` if it is elsewhere.
    func place(of plane: Int, count: Int, in memory: SharedMemory) -> Int? {
        unsafe withPointer { frame in
            let starts = unsafe PlanePointers(frame).starts
            guard plane < 4, let start = unsafe starts[plane] else { return nil }
            return unsafe memory.offset(of: start, count: count)
        }
    }

    /// From one row of the plane to the next, in bytes; 0 if there is no such plane.
    func stride(of plane: Int) -> Int {
        unsafe withPointer { frame in plane < 4 ? unsafe Int(PlanePointers(frame).strides[plane]) : 0 }
    }

    /// A copy of side data; `nil` if the frame has none or fewer bytes than a `Value`.
    func sideData<Value>(_ type: AVFrameSideDataType, as value: Value.Type) -> Value? {
        unsafe withPointer { pointer in
            guard let data = unsafe av_frame_get_side_data(pointer, type), let bytes = unsafe data.pointee.data,
                unsafe data.pointee.size >= MemoryLayout<Value>.size
            else { return nil }
            return unsafe UnsafeRawPointer(bytes).load(as: value)
        }
    }
}
