// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// An open libavcodec audio encoder. Its settings are fixed, so that equal samples give equal bytes.
@safe package struct AudioEncoder: ~Copyable {
    package struct Settings: Hashable, Sendable {
        package var codec: CodecID
        package var format: AudioFormat
        /// In bits per second; 0 for a lossless codec.
        package var bitRate: Int
        /// Bits per sample to encode, for a lossless codec.
        package var bitDepth: Int

        package init(codec: CodecID, format: AudioFormat, bitRate: Int = 0, bitDepth: Int = 0) {
            self.codec = codec
            self.format = format
            self.bitRate = bitRate
            self.bitDepth = bitDepth
        }
    }

    private let pointer: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let format: AudioFormat
    private var position: Int64 = 0

    private init(_ codec: UnsafePointer<AVCodec>, _ format: AudioFormat) {
        unsafe pointer = allocated(avcodec_alloc_context3(codec), by: "avcodec_alloc_context3")
        unsafe frame = allocated(av_frame_alloc(), by: "av_frame_alloc")
        self.format = format
    }

    /// Opens an encoder in its initial state (`avcodec_open2`), bit-exact and on one thread.
    ///
    /// - Throws: an error of `avcodec_find_encoder_by_name` for a codec that this libavcodec cannot encode; the
    ///   encoder's error for settings that it does not support.
    package static func open(_ settings: Settings) throws(FFmpegError) -> AudioEncoder {
        assertMayBlock("avcodec_open2")
        guard let codec = unsafe avcodec_find_encoder_by_name(settings.codec.rawValue) else {
            throw FFmpegError(CFFmpegErrorEncoderNotFound, in: "avcodec_find_encoder_by_name")
        }
        let encoder = unsafe AudioEncoder(codec, settings.format)
        let context = unsafe encoder.pointer
        unsafe context.pointee.sample_fmt = settings.format.samples.native
        unsafe context.pointee.sample_rate = CInt(settings.format.rate)
        unsafe context.pointee.ch_layout = settings.format.layout.native
        unsafe context.pointee.time_base = AVRational(num: 1, den: CInt(settings.format.rate))
        unsafe context.pointee.bit_rate = Int64(settings.bitRate)
        unsafe context.pointee.bits_per_raw_sample = CInt(settings.bitDepth)
        unsafe context.pointee.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER
        unsafe context.pointee.thread_count = 1
        try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
        return encoder
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&frame)
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe pointer
        unsafe avcodec_free_context(&pointer)
    }

    /// Samples per frame. Only the last frame may be shorter.
    package var frameLength: Int { unsafe Int(pointer.pointee.frame_size) }
    /// The number of samples of padding that the encoder inserts before the audio (`AVCodecContext.initial_padding`).
    package var delay: Int { unsafe Int(pointer.pointee.initial_padding) }
    /// The codec configuration that the container needs.
    package var extradata: [UInt8] {
        unsafe copiedBytes(pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size))
    }

    /// Encodes the next frame of samples, or drains the encoder (`nil`), and returns the packets that are complete.
    package mutating func encode(_ block: SampleBlock?) throws(FFmpegError) -> [Packet] {
        if let block { return try encode(block.count, of: block, in: 0..<block.count, from: 0) }
        assertMayBlock("avcodec_send_frame")
        try check(unsafe avcodec_send_frame(pointer, nil), "avcodec_send_frame")
        return try completed()
    }

    /// Encodes `count` samples of a block, from `first` on, as the next frame, and returns the packets that are
    /// complete.
    ///
    /// - Parameter part: the samples of the block that are heard. All other positions are encoded as silence.
    package mutating func encode(
        _ count: Int,
        of block: SampleBlock,
        in part: Range<Int>,
        from first: Int
    ) throws(FFmpegError) -> [Packet] {
        assertMayBlock("avcodec_send_frame")
        try fill(count, of: block, in: part, from: first)
        try check(unsafe avcodec_send_frame(pointer, frame), "avcodec_send_frame")
        return try completed()
    }

    private func completed() throws(FFmpegError) -> [Packet] {
        var packets: [Packet] = []
        while true {
            let buffer = PacketBuffer()
            let status = unsafe avcodec_receive_packet(pointer, buffer.pointer)
            if status == CFFmpegErrorAgain || status == CFFmpegErrorEOF { return packets }
            try check(status, "avcodec_receive_packet")
            try check(unsafe av_packet_make_refcounted(buffer.pointer), "av_packet_make_refcounted")
            packets.append(buffer.seal(pictureOrder: nil))
        }
    }

    private mutating func fill(
        _ count: Int,
        of block: SampleBlock,
        in part: Range<Int>,
        from first: Int
    ) throws(FFmpegError) {
        // Most encoders have released the previous frame by now, so its buffer can be reused.
        if unsafe frame.pointee.nb_samples != CInt(count) || av_frame_is_writable(frame) <= 0 {
            unsafe av_frame_unref(frame)
            unsafe frame.pointee.nb_samples = CInt(count)
            unsafe frame.pointee.format = format.samples.rawValue
            unsafe frame.pointee.sample_rate = CInt(format.rate)
            unsafe frame.pointee.ch_layout = format.layout.native
            try check(unsafe av_frame_get_buffer(frame, 0), "av_frame_get_buffer")
        }
        unsafe frame.pointee.pts = position
        position += Int64(count)
        guard let planes = unsafe frame.pointee.extended_data else { return }
        let stride = format.stride
        let part = part.clamped(to: 0..<block.count)
        let from = min(max(part.lowerBound, first), part.upperBound)
        let to = min(max(from, first + count), part.upperBound)
        let lead = min(max(0, from - first), count)
        for (index, plane) in block.planes.enumerated() {
            guard let target = unsafe planes[index], plane.count >= to * stride else { continue }
            unsafe target.update(repeating: 0, count: lead * stride)
            unsafe plane.withUnsafeBufferPointer { source in
                guard let start = source.baseAddress, from < to else { return }
                unsafe (target + lead * stride).update(from: start + from * stride, count: (to - from) * stride)
            }
            let end = lead + to - from
            unsafe (target + end * stride).update(repeating: 0, count: (count - end) * stride)
        }
    }
}
