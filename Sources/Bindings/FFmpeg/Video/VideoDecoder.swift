// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel
internal import EngineRuntime

/// An open libavcodec video decoder.
@safe package struct VideoDecoder: ~Copyable {
    /// The division of work between threads.
    package enum Threading: Sendable {
        /// Within a frame, for frames that are decoded one at a time.
        case slices
        /// Across frames, for a run of them.
        case frames
    }

    /// The frames that are skipped; each level includes the previous ones (`AVCodecContext.skip_frame`).
    package enum Skipping: Int, Hashable, Comparable, Sendable, CaseIterable {
        case nothing
        /// Frames that no other frame refers to.
        case unreferenced
        /// Frames that refer to later ones.
        case bidirectional
        /// All frames except random access points.
        case dependent

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

        fileprivate var native: AVDiscard {
            switch self {
            case .nothing: AVDISCARD_DEFAULT
            case .unreferenced: AVDISCARD_NONREF
            case .bidirectional: AVDISCARD_BIDIR
            case .dependent: AVDISCARD_NONKEY
            }
        }
    }

    /// The result of a receive call.
    package enum Received: Sendable {
        case frame(VideoFrame)
        case needsInput
        case ended
    }

    /// Larger frames are rejected: no real video has them, and a damaged header may claim any size.
    private static let pixelLimit: Int64 = 16_384 * 16_384
    private static let sliceThreads: CInt = 2
    /// One thread per core: more threads would mostly wait for rows of each other's frames. At most 8, because each
    /// thread holds one more frame.
    private static let frameThreads = CInt(clamping: min(coreCount, 8))

    private let pointer: UnsafeMutablePointer<AVCodecContext>
    /// Must outlive the context, which points to it.
    private let allocation: FrameAllocation?
    /// `nil` except for MPEG-1 and MPEG-2 video.
    private var sequences: SequenceWatch?

    private init(_ codec: UnsafePointer<AVCodec>, _ allocation: FrameAllocation?) {
        self.allocation = allocation
        unsafe pointer = allocated(avcodec_alloc_context3(codec), by: "avcodec_alloc_context3")
    }

    /// Whether this libavcodec can decode `codec` (`avcodec_find_decoder`).
    package static func exists(for codec: CodecID) -> Bool {
        guard let descriptor = unsafe avcodec_descriptor_get_by_name(codec.rawValue) else { return false }
        return unsafe avcodec_find_decoder(descriptor.pointee.id) != nil
    }

    /// Opens a decoder in its initial state (`avcodec_open2`). Frames with missing references are output too and marked
    /// as damaged; if libavcodec held them back, it would mistake the first of them for the end while draining.
    ///
    /// - Parameters:
    ///   - threads: the maximum number of decoding threads; 0 lets libavcodec choose, `nil` is the default of
    ///     `threading`.
    ///   - device: the device to decode on, if it supports the stream.
    ///   - allocation: decides where frames are allocated.
    package static func open(
        _ parameters: CodecParameters,
        threading: Threading,
        threads: Int? = nil,
        device: HardwareDevice? = nil,
        allocation: FrameAllocation? = nil
    ) throws(FFmpegError) -> VideoDecoder {
        assertMayBlock("avcodec_open2")
        let id = unsafe parameters.withPointer { unsafe $0.pointee.codec_id }
        let found = unsafe device.map { unsafe HardwareDevice.decoder(of: id, on: $0.kind) } ?? avcodec_find_decoder(id)
        guard let codec = unsafe found else {
            throw FFmpegError(CFFmpegErrorDecoderNotFound, in: "avcodec_find_decoder")
        }
        var decoder = unsafe VideoDecoder(codec, allocation)
        try check(
            unsafe parameters.withPointer { unsafe avcodec_parameters_to_context(decoder.pointer, $0) },
            "avcodec_parameters_to_context"
        )
        let (kinds, count) =
            switch threading {
            case .slices: (FF_THREAD_SLICE, sliceThreads)
            case .frames: (FF_THREAD_FRAME | FF_THREAD_SLICE, frameThreads)
            }
        // Frame threads of libavcodec's VP3 family race: some runs decode differently up to the next keyframe.
        let isRacing = [AV_CODEC_ID_VP3, AV_CODEC_ID_VP4, AV_CODEC_ID_THEORA].contains(id)
        unsafe decoder.pointer.pointee.thread_type = isRacing ? FF_THREAD_SLICE : kinds
        unsafe decoder.pointer.pointee.thread_count = threads.map { CInt(clamping: $0) } ?? count
        unsafe decoder.pointer.pointee.max_pixels = pixelLimit
        unsafe decoder.pointer.pointee.flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT
        unsafe decoder.pointer.pointee.pkt_timebase = AVRational(
            num: parameters.timeBase.numerator,
            den: parameters.timeBase.denominator
        )
        if let device { unsafe decoder.pointer.pointee.hw_device_ctx = device.shared() }
        unsafe allocation?.serve(decoder.pointer, codec)
        if [AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO].contains(id) { decoder.sequences = SequenceWatch() }
        // The codec decodes on threads of its own, which it starts here.
        try check(CrashTag.lend { unsafe avcodec_open2(decoder.pointer, codec, nil) }, "avcodec_open2")
        return decoder
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe pointer
        unsafe avcodec_free_context(&pointer)
    }

    /// Sends one packet (`avcodec_send_packet`). The caller must then receive every frame that it completes. If MPEG-1
    /// or MPEG-2 video changes so that the decoder sets itself up again, these frames include the one that it held for
    /// reordering.
    ///
    /// - Parameters:
    ///   - skipping: which frames to skip.
    ///   - isRough: whether to skip deblocking of unreferenced frames, to save time
    ///     (`AVCodecContext.skip_loop_filter`).
    ///   - privateData: codec private data that applies from this packet on.
    /// - Throws: the decoder's error for an invalid packet. Decoding can continue with the next packet.
    package mutating func send(
        _ packet: Packet,
        skipping: Skipping = .nothing,
        isRough: Bool = false,
        privateData: [UInt8]? = nil
    ) throws(FFmpegError) {
        assertMayBlock("avcodec_send_packet")
        try endSequence(before: packet)
        unsafe pointer.pointee.skip_frame = skipping.native
        unsafe pointer.pointee.skip_loop_filter = isRough ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        let status =
            if let data = privateData ?? packet.newPrivateData {
                unsafe packet.withCopy(privateData: data) { unsafe avcodec_send_packet(pointer, $0) }
            } else {
                unsafe packet.withPointer { unsafe avcodec_send_packet(pointer, $0) }
            }
        try check(status, "avcodec_send_packet")
    }

    /// Makes the decoder output the frame that it holds, before a packet at which it would discard that frame.
    private mutating func endSequence(before packet: Packet) throws(FFmpegError) {
        guard var watch = sequences else { return }
        let isRestart = packet.withBytes { watch.isRestart($0) }
        sequences = watch
        guard isRestart else { return }
        let end = Packet(SequenceWatch.end, stream: packet.streamIndex)
        try check(unsafe end.withPointer { unsafe avcodec_send_packet(pointer, $0) }, "avcodec_send_packet")
    }

    /// Signals the end of the input, so that delayed frames are output (`avcodec_send_packet` without a packet).
    package mutating func drain() throws(FFmpegError) {
        assertMayBlock("avcodec_send_packet")
        unsafe pointer.pointee.skip_frame = AVDISCARD_DEFAULT
        let status = unsafe avcodec_send_packet(pointer, nil)
        guard status != CFFmpegErrorEOF else { return }
        try check(status, "avcodec_send_packet")
    }

    /// Returns the next frame in presentation order (`avcodec_receive_frame`).
    package mutating func receive() throws(FFmpegError) -> Received {
        assertMayBlock("avcodec_receive_frame")
        let frame = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let status = unsafe avcodec_receive_frame(pointer, frame)
        guard status < 0 else { return .frame(try unsafe VideoFrame(taking: frame).fetched()) }
        var unused: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&unused)
        if status == CFFmpegErrorAgain { return .needsInput }
        if status == CFFmpegErrorEOF { return .ended }
        throw FFmpegError(status, in: "avcodec_receive_frame")
    }

    /// The number of CPU cores (`av_cpu_count`).
    package static var coreCount: Int { max(1, Int(av_cpu_count())) }

    /// The reorder delay in frames, as far as the decoder knows it (`AVCodecContext.has_b_frames`).
    package var reorderDepth: Int { unsafe Int(pointer.pointee.has_b_frames) }

    /// Resets the decoder, which then needs a random access point (`avcodec_flush_buffers`).
    package mutating func flush() { unsafe avcodec_flush_buffers(pointer) }
}

/// Decodes the packets of a stream: a `VideoDecoder`, or a test double.
package protocol FrameDecoder: ~Copyable {
    var reorderDepth: Int { get }
    mutating func send(
        _ packet: Packet,
        skipping: VideoDecoder.Skipping,
        isRough: Bool,
        privateData: [UInt8]?
    ) throws(FFmpegError)
    mutating func drain() throws(FFmpegError)
    mutating func receive() throws(FFmpegError) -> VideoDecoder.Received
    mutating func flush()
}

extension VideoDecoder: FrameDecoder {}

extension Packet {
    /// Lends a copy of the packet, with new codec private data beside its payload, to `body`.
    @unsafe fileprivate func withCopy<Value>(
        privateData: [UInt8],
        _ body: (UnsafePointer<AVPacket>) -> Value
    ) -> Value {
        var copy: UnsafeMutablePointer<AVPacket>? = unsafe withPointer {
            unsafe allocated(av_packet_clone($0), by: "av_packet_clone")
        }
        defer { unsafe av_packet_free(&copy) }
        guard let packet = unsafe copy else { preconditionFailure("av_packet_clone: out of memory") }
        unsafe packet.addSideData(AV_PKT_DATA_NEW_EXTRADATA, privateData)
        return unsafe body(UnsafePointer(packet))
    }
}
