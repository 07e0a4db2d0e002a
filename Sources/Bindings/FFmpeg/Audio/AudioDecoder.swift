// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// An open libavcodec audio decoder.
@safe package struct AudioDecoder: ~Copyable {
    /// A decoded frame.
    package struct Frame: Sendable {
        package let format: AudioFormat
        package let block: SampleBlock
        /// Significant bits per sample; 0 if the decoder does not report them.
        package let significantBits: Int
        /// The time of the first sample, in ticks of the stream. `nil` for all but the first frame of a packet, and if
        /// the packet has none.
        package let time: Int64?
    }

    /// Whether to output samples that the source marks as not presented: codec priming and end padding.
    package enum Edges: Sendable {
        /// Every sample in the bitstream is output (`AV_CODEC_FLAG2_SKIP_MANUAL`).
        case kept
        case cut
    }

    /// Samples per frame. No codec has longer frames.
    private static let sampleLimit = 1 << 20
    private static let channelLimit = 64
    /// In Hz. If a source claims a very low rate, resampling for a sink would multiply its samples by a thousand or
    /// more.
    private static let rates = 1000...768_000

    private let pointer: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    /// The latest `Packet.newPrivateData`; `nil` while the decoder has the configuration with which it was opened.
    private var privateData: [UInt8]?

    private init(_ codec: UnsafePointer<AVCodec>) {
        unsafe pointer = allocated(avcodec_alloc_context3(codec), by: "avcodec_alloc_context3")
        unsafe frame = allocated(av_frame_alloc(), by: "av_frame_alloc")
    }

    /// Whether this libavcodec can decode `codec` (`avcodec_find_decoder`).
    package static func exists(for codec: CodecID) -> Bool {
        guard let descriptor = unsafe avcodec_descriptor_get_by_name(codec.rawValue) else { return false }
        return unsafe avcodec_find_decoder(descriptor.pointee.id) != nil
    }

    /// Opens a decoder in its initial state (`avcodec_open2`), on one thread.
    package static func open(
        _ parameters: CodecParameters,
        edges: Edges = .kept
    ) throws(FFmpegError) -> AudioDecoder {
        assertMayBlock("avcodec_open2")
        let id = unsafe parameters.withPointer { unsafe $0.pointee.codec_id }
        guard let codec = unsafe avcodec_find_decoder(id) else {
            throw FFmpegError(CFFmpegErrorDecoderNotFound, in: "avcodec_find_decoder")
        }
        let decoder = unsafe AudioDecoder(codec)
        try check(
            unsafe parameters.withPointer { unsafe avcodec_parameters_to_context(decoder.pointer, $0) },
            "avcodec_parameters_to_context"
        )
        // The MPEG audio decoder trusts a given rate even if it is incorrect; without one it reads the rate from the
        // frames.
        if [AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3].contains(id) {
            unsafe decoder.pointer.pointee.sample_rate = 0
        }
        unsafe decoder.pointer.pointee.thread_count = 1
        if edges == .kept { unsafe decoder.pointer.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL }
        unsafe decoder.pointer.pointee.pkt_timebase = AVRational(
            num: parameters.timeBase.numerator,
            den: parameters.timeBase.denominator
        )
        try check(unsafe avcodec_open2(decoder.pointer, codec, nil), "avcodec_open2")
        return decoder
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&frame)
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe pointer
        unsafe avcodec_free_context(&pointer)
    }

    /// Returns the frames that `packet` completes: usually one, sometimes none. `nil`, passed once at the end, drains
    /// the decoder.
    ///
    /// - Throws: the decoder's error for an invalid packet. Decoding can continue with the next packet.
    package mutating func decode(_ packet: Packet?) throws(FFmpegError) -> [Frame] {
        try send(packet)
        var frames: [Frame] = []
        while try receive() {
            if let copy = copiedFrame() { frames.append(copy) }
        }
        return frames
    }

    /// The place where `decode(_:to:where:)` put a decoded frame.
    package enum Decoded: Sendable {
        /// The frame's samples are at this range of the run. The format is that of the frame.
        case appended(Range<Int>, AudioFormat)
        /// The frame is not in the run.
        case apart(Frame)
    }

    /// Decodes a packet as `decode(_:)` does, but appends frames whose format satisfies `isFitting` to `run`, which
    /// saves a copy of each plane. Such frames must have as many planes and bytes per sample as the run.
    package mutating func decode(
        _ packet: Packet,
        to run: inout SampleRun,
        where isFitting: (AudioFormat) -> Bool
    ) throws(FFmpegError) -> [Decoded] {
        try send(packet)
        var frames: [Decoded] = []
        while try receive() {
            guard let format = frameFormat() else { continue }
            if isFitting(format), let range = unsafe run.append(frame) {
                frames.append(.appended(range, format))
            } else if let copy = copiedFrame() {
                frames.append(.apart(copy))
            }
        }
        return frames
    }

    private mutating func send(_ packet: Packet?) throws(FFmpegError) {
        assertMayBlock("avcodec_send_packet")
        if let packet, packet.newPrivateData != privateData {
            privateData = packet.newPrivateData
            try sendHeaders()
        }
        let status =
            if let packet {
                unsafe packet.withPointer { unsafe avcodec_send_packet(pointer, $0) }
            } else {
                unsafe avcodec_send_packet(pointer, nil)
            }
        try check(status, "avcodec_send_packet")
    }

    /// Changes the configuration of Vorbis: its decoder takes headers as packets. No effect on other codecs.
    private func sendHeaders() throws(FFmpegError) {
        guard unsafe pointer.pointee.codec_id == AV_CODEC_ID_VORBIS else { return }
        let opened = unsafe [UInt8](
            UnsafeBufferPointer(start: pointer.pointee.extradata, count: Int(pointer.pointee.extradata_size))
        )
        for bytes in VorbisHeaders(privateData: privateData ?? opened)?.packets ?? [] {
            let header = Packet(bytes, stream: 0)
            let status = unsafe header.withPointer { unsafe avcodec_send_packet(pointer, $0) }
            try check(status, "avcodec_send_packet")
        }
    }

    /// Receives the next frame into `frame`.
    ///
    /// - Returns: `false` if the decoder needs another packet or has ended.
    private func receive() throws(FFmpegError) -> Bool {
        let status = unsafe avcodec_receive_frame(pointer, frame)
        if status == CFFmpegErrorAgain || status == CFFmpegErrorEOF { return false }
        try check(status, "avcodec_receive_frame")
        return true
    }

    /// Resets the decoder's state, for input that is not contiguous (`avcodec_flush_buffers`).
    package mutating func flush() { unsafe avcodec_flush_buffers(pointer) }

    /// Returns `nil` for an invalid frame: an implausible rate, or an implausible number of samples or channels.
    private func frameFormat() -> AudioFormat? {
        let count = unsafe Int(frame.pointee.nb_samples)
        let samples = unsafe SampleFormat(AVSampleFormat(rawValue: frame.pointee.format))
        let rate = unsafe Int(frame.pointee.sample_rate)
        guard count > 0, count <= Self.sampleLimit, Self.rates.contains(rate), samples.bytesPerSample > 0 else {
            return nil
        }
        let channels = unsafe Int(frame.pointee.ch_layout.nb_channels)
        guard channels > 0, channels <= Self.channelLimit,
            let layout = unsafe ChannelLayout(frame.pointee.ch_layout), layout.count == channels
        else { return nil }
        return AudioFormat(samples: samples, rate: rate, layout: layout)
    }

    /// Returns `nil` for an invalid frame, and for one with missing planes.
    private func copiedFrame() -> Frame? {
        guard let format = frameFormat(), let planes = unsafe frame.pointee.extended_data else { return nil }
        let count = unsafe Int(frame.pointee.nb_samples)
        var copied: [[UInt8]] = []
        for index in 0..<format.planeCount {
            guard let plane = unsafe planes[index] else { return nil }
            copied.append(unsafe [UInt8](UnsafeBufferPointer(start: plane, count: count * format.stride)))
        }
        return Frame(
            format: format,
            block: SampleBlock(planes: copied, count: count),
            significantBits: unsafe Int(pointer.pointee.bits_per_raw_sample),
            time: unsafe frame.pointee.pts.timestamp
        )
    }
}
