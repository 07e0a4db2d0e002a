// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import CSystemShims
package import EngineModel

/// An open video encoder. Its settings are fixed, so that equal frames give equal bytes: on every machine or, if a
/// device encodes them, on machines with the same device and driver.
@safe package struct VideoEncoder: ~Copyable {
    /// The format of the frames that are encoded.
    package struct FrameFormat: Hashable, Sendable {
        /// In pixels; even, like `height`.
        package var width: Int
        package var height: Int
        package var sampleAspectRatio: Ratio
        /// The frames have limited range.
        package var color: ColorDescription
        /// Ticks per second of the frames' times.
        package var timescale: Int
        /// Frames per second, for rate control. Times may deviate.
        package var rate: Ratio

        package init(
            width: Int,
            height: Int,
            sampleAspectRatio: Ratio,
            color: ColorDescription,
            timescale: Int,
            rate: Ratio
        ) {
            self.width = width
            self.height = height
            self.sampleAspectRatio = sampleAspectRatio
            self.color = color
            self.timescale = timescale
            self.rate = rate
        }
    }

    /// The quality of the encoded video, and the limits that its decoder must support.
    package struct RateControl: Hashable, Sendable {
        /// The constant quality: CRF or, for devices, QP. Higher values are worse.
        package var quality: Int
        /// In bits per second.
        package var maximumBitRate: Int
        /// The decoder's buffer that `maximumBitRate` fills, in bits.
        package var bufferSize: Int
        /// level_idc of ITU-T H.264, Annex A; ten times the level of VP9 and AV1.
        package var level: Int
        /// Whether the encoder lowers the quality where the decoder's buffer would run empty. Only x264 supports this.
        /// It then has one thread, because with more the result would depend on how far they have come.
        package var isLimited = false

        package init(quality: Int, maximumBitRate: Int, bufferSize: Int, level: Int) {
            self.quality = quality
            self.maximumBitRate = maximumBitRate
            self.bufferSize = bufferSize
            self.level = level
        }
    }

    package struct Settings: Hashable, Sendable {
        package var library: EncoderLibrary
        package var frames: FrameFormat
        package var rateControl: RateControl
        /// The library's name of a set of trade-offs between speed and size. Devices ignore it.
        package var preset: String
        /// Whether frames of x264 may refer to later ones, so that they are decoded in another order than they are
        /// shown. Packets of all other encoders are in the order of presentation.
        package var reordersFrames: Bool
        /// Whether all work is done on the calling thread, if the library can do that (`EncoderLibrary.canBeSerial`),
        /// so that the CPU time of the work can be measured. x264 then writes other bytes.
        package var isSerial = false

        package init(
            _ library: EncoderLibrary,
            frames: FrameFormat,
            rateControl: RateControl,
            preset: String,
            reordersFrames: Bool
        ) {
            self.library = library
            self.frames = frames
            self.rateControl = rateControl
            self.preset = preset
            self.reordersFrames = reordersFrames
        }
    }

    /// The format of the frames, by FFmpeg's name.
    package static let pixelFormat = "yuv420p"
    /// More frames than any segment has, so that only its first frame is a keyframe.
    private static let keyframeInterval: CInt = 1 << 15

    private let pointer: UnsafeMutablePointer<AVCodecContext>
    private let library: EncoderLibrary
    private var hasFrames = false
    /// Converts frames to NV12, which every device takes, before they are copied to a device's memory. `nil` before the
    /// first such frame.
    private var packing: FrameFilterGraph?

    private init(_ codec: UnsafePointer<AVCodec>, of library: EncoderLibrary) {
        self.library = library
        unsafe pointer = allocated(avcodec_alloc_context3(codec), by: "avcodec_alloc_context3")
    }

    /// Opens an encoder in its initial state (`avcodec_open2`). The number of its threads follows from the settings.
    ///
    /// - Throws: an error of `avcodec_find_encoder_by_name` if this libavcodec lacks the library; the encoder's error
    ///   for settings that it does not support.
    package static func open(_ settings: Settings) throws(FFmpegError) -> VideoEncoder {
        assertMayBlock("avcodec_open2")
        guard let codec = unsafe avcodec_find_encoder_by_name(settings.library.rawValue) else {
            throw FFmpegError(CFFmpegErrorEncoderNotFound, in: "avcodec_find_encoder_by_name")
        }
        let encoder = unsafe VideoEncoder(codec, of: settings.library)
        let context = unsafe encoder.pointer
        let frames = settings.frames
        unsafe context.pointee.width = CInt(frames.width)
        unsafe context.pointee.height = CInt(frames.height)
        unsafe context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
        if let kind = settings.library.frameDevice {
            let device = try HardwareDevice.shared(kind)
            unsafe context.pointee.hw_frames_ctx = try device.frames(width: frames.width, height: frames.height)
            unsafe context.pointee.pix_fmt = AV_PIX_FMT_VAAPI
        }
        unsafe context.pointee.sample_aspect_ratio = frames.sampleAspectRatio.native
        unsafe context.pointee.color_primaries = AVColorPrimaries(UInt32(frames.color.primaries))
        unsafe context.pointee.color_trc = AVColorTransferCharacteristic(UInt32(frames.color.transfer))
        unsafe context.pointee.colorspace = AVColorSpace(UInt32(frames.color.matrix))
        unsafe context.pointee.color_range = AVCOL_RANGE_MPEG
        unsafe context.pointee.time_base = AVRational(num: 1, den: CInt(frames.timescale))
        unsafe context.pointee.framerate = frames.rate.native
        unsafe context.pointee.gop_size = keyframeInterval
        unsafe context.pointee.keyint_min = keyframeInterval
        unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | CInt(bitPattern: AV_CODEC_FLAG_CLOSED_GOP)
        unsafe context.pointee.thread_count = settings.library.threadCount(for: settings)
        unsafe settings.library.limit(context, to: settings)
        for (name, value) in settings.library.options(for: settings) {
            try check(unsafe av_opt_set(context.pointee.priv_data, name, value, 0), "av_opt_set")
        }
        // As root, SVT-AV1 gives its threads the highest real-time priority, which would starve the rest of the
        // machine.
        let hadRight = csystem_drop_priority_right()
        defer { if hadRight { csystem_regain_priority_right() } }
        try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
        return encoder
    }

    deinit {
        // `svt_av1_enc_deinit` waits for a packet, and would wait forever if there was no frame.
        if library == .svtAV1, !hasFrames { unsafe Self.sendBlankFrame(to: pointer) }
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe pointer
        unsafe avcodec_free_context(&pointer)
    }

    private static func sendBlankFrame(to context: UnsafeMutablePointer<AVCodecContext>) {
        let frame = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        unsafe frame.pointee.width = context.pointee.width
        unsafe frame.pointee.height = context.pointee.height
        unsafe frame.pointee.format = context.pointee.pix_fmt.rawValue
        unsafe frame.pointee.pts = 0
        if unsafe av_frame_get_buffer(frame, 0) == 0 { unsafe avcodec_send_frame(context, frame) }
        var unused: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&unused)
    }

    /// H.264: the parameter sets, in Annex B form. AV1: a sequence header, which is not the one in the packets. VP9:
    /// empty.
    package var extradata: [UInt8] {
        unsafe copiedBytes(pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size))
    }

    /// Encodes the next frame in presentation order, and returns the packets that are complete, in decoding order.
    ///
    /// - Parameters:
    ///   - frame: in `pixelFormat`, with the size of the settings.
    ///   - time: above that of the previous frame. It becomes the `pts` of the frame's packet.
    package mutating func encode(_ frame: VideoFrame, at time: Int64) throws(FFmpegError) -> [Packet] {
        assertMayBlock("avcodec_send_frame")
        let plain = try uploaded(frame).forEncoder(at: time)
        hasFrames = true
        try check(unsafe plain.withPointer { unsafe avcodec_send_frame(pointer, $0) }, "avcodec_send_frame")
        return try completed()
    }

    /// The frame in the memory of the device that encodes it (`av_hwframe_transfer_data`).
    private mutating func uploaded(_ frame: VideoFrame) throws(FFmpegError) -> VideoFrame {
        guard let frames = unsafe pointer.pointee.hw_frames_ctx else { return frame }
        if packing == nil { packing = try FrameFilterGraph.make("format=nv12", for: frame) }
        guard let packed = try packing?.apply(frame) else { return frame }
        let target = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let copy = unsafe VideoFrame(taking: target)
        try check(unsafe av_hwframe_get_buffer(frames, target, 0), "av_hwframe_get_buffer")
        try unsafe packed.withPointer { (source) throws(FFmpegError) in
            try check(unsafe av_hwframe_transfer_data(target, source, 0), "av_hwframe_transfer_data")
            try check(unsafe av_frame_copy_props(target, source), "av_frame_copy_props")
        }
        return copy
    }

    /// Returns the packets of the frames that the encoder still holds: up to dozens. No frame may follow.
    ///
    /// - Throws: an error whose `isInterruption` is true if `isStopped`, which is called before each packet, has
    ///   returned true.
    package mutating func finish(unless isStopped: () -> Bool = { false }) throws(FFmpegError) -> [Packet] {
        assertMayBlock("avcodec_send_frame")
        guard hasFrames else { return [] }
        try check(unsafe avcodec_send_frame(pointer, nil), "avcodec_send_frame")
        return try completed(unless: isStopped)
    }

    private func completed(unless isStopped: () -> Bool = { false }) throws(FFmpegError) -> [Packet] {
        var packets: [Packet] = []
        while true {
            if isStopped() { throw FFmpegError.interruption }
            let buffer = PacketBuffer()
            let status = unsafe avcodec_receive_packet(pointer, buffer.pointer)
            if status == CFFmpegErrorAgain || status == CFFmpegErrorEOF { return packets }
            try check(status, "avcodec_receive_packet")
            try check(unsafe av_packet_make_refcounted(buffer.pointer), "av_packet_make_refcounted")
            packets.append(buffer.seal(pictureOrder: nil))
        }
    }
}

extension Ratio {
    fileprivate var native: AVRational { AVRational(num: CInt(clamping: numerator), den: CInt(clamping: denominator)) }
}

extension VideoFrame {
    /// The same planes and captions at another time. The encoder decides on the frame's type, which would otherwise be
    /// that in the source.
    fileprivate func forEncoder(at time: Int64) -> VideoFrame {
        let copy = unsafe withPointer { unsafe allocated(av_frame_clone($0), by: "av_frame_clone") }
        unsafe copy.pointee.pts = time
        unsafe copy.pointee.pict_type = AV_PICTURE_TYPE_NONE
        unsafe copy.pointee.key_frame = 0
        unsafe copy.pointee.interlaced_frame = 0
        unsafe copy.pointee.repeat_pict = 0
        return unsafe VideoFrame(taking: copy)
    }
}
