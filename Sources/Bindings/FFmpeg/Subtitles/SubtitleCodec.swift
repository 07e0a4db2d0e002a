// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// An open libavcodec subtitle decoder.
@safe package struct SubtitleCodec: ~Copyable {
    private let pointer: UnsafeMutablePointer<AVCodecContext>
    private let repair: TextRepair
    /// Private options of the decoder, such as `txt_page` of teletext.
    package typealias Options = [(name: String, value: String)]

    private init(_ codec: UnsafePointer<AVCodec>, repair: TextRepair) {
        unsafe pointer = allocated(avcodec_alloc_context3(codec), by: "avcodec_alloc_context3")
        self.repair = repair
    }

    /// Opens a decoder in its initial state (`avcodec_open2`).
    package static func open(
        _ parameters: CodecParameters,
        options: Options = []
    ) throws(FFmpegError) -> SubtitleCodec {
        assertMayBlock("avcodec_open2")
        let id = unsafe parameters.withPointer { unsafe $0.pointee.codec_id }
        guard let codec = unsafe avcodec_find_decoder(id) else {
            throw FFmpegError(CFFmpegErrorDecoderNotFound, in: "avcodec_find_decoder")
        }
        let decoder = unsafe SubtitleCodec(codec, repair: TextRepair(id))
        try check(
            unsafe parameters.withPointer { unsafe avcodec_parameters_to_context(decoder.pointer, $0) },
            "avcodec_parameters_to_context"
        )
        return try unsafe opened(decoder, codec, ticks: parameters.timeBase, options)
    }

    /// Opens the decoder for captions (CEA-608) that are carried within the packets of another stream.
    ///
    /// - Parameter parameters: those of that stream, whose time base the packets use.
    package static func captions(within parameters: CodecParameters) throws(FFmpegError) -> SubtitleCodec {
        assertMayBlock("avcodec_open2")
        guard let codec = unsafe avcodec_find_decoder(AV_CODEC_ID_EIA_608) else {
            throw FFmpegError(CFFmpegErrorDecoderNotFound, in: "avcodec_find_decoder")
        }
        let decoder = unsafe SubtitleCodec(codec, repair: .none)
        return try unsafe opened(decoder, codec, ticks: parameters.timeBase, [])
    }

    private static func opened(
        _ decoder: consuming SubtitleCodec,
        _ codec: UnsafePointer<AVCodec>,
        ticks: (numerator: CInt, denominator: CInt),
        _ options: Options
    ) throws(FFmpegError) -> SubtitleCodec {
        unsafe decoder.pointer.pointee.thread_count = 1
        // Accept text that is not UTF-8: invalid sequences are replaced afterwards instead of being discarded.
        if decoder.repair != .none {
            unsafe decoder.pointer.pointee.sub_charenc_mode = FF_SUB_CHARENC_MODE_IGNORE
        }
        unsafe decoder.pointer.pointee.pkt_timebase = AVRational(
            num: ticks.numerator,
            den: ticks.denominator
        )
        var dictionary: OpaquePointer?
        defer { unsafe av_dict_free(&dictionary) }
        for option in options { unsafe av_dict_set(&dictionary, option.name, option.value, 0) }
        try check(unsafe avcodec_open2(decoder.pointer, codec, &dictionary), "avcodec_open2")
        return decoder
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = unsafe pointer
        unsafe avcodec_free_context(&pointer)
    }

    /// The ASS header for the decoder's events (`AVCodecContext.subtitle_header`). Empty for bitmap subtitles.
    package var header: String {
        let bytes = unsafe copiedBytes(
            pointer.pointee.subtitle_header,
            count: Int(pointer.pointee.subtitle_header_size)
        )
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Decodes one packet (`avcodec_decode_subtitle2`). Returns `nil` if it completes no subtitle.
    ///
    /// - Throws: the decoder's error for an invalid packet. Decoding can continue with the next packet.
    package mutating func decode(_ packet: Packet) throws(FFmpegError) -> DecodedSubtitle? {
        assertMayBlock("avcodec_decode_subtitle2")
        var subtitle = unsafe AVSubtitle()
        var isComplete: CInt = 0
        let buffer = repair.repaired(packet)
        // The DVB decoder would keep reporting the first canvas size unless it is reset.
        if unsafe pointer.pointee.codec_id == AV_CODEC_ID_DVB_SUBTITLE {
            unsafe (pointer.pointee.width, pointer.pointee.height) = (0, 0)
        }
        let status = unsafe avcodec_decode_subtitle2(pointer, &subtitle, &isComplete, buffer.pointer)
        defer { if isComplete != 0 { unsafe avsubtitle_free(&subtitle) } }
        try check(status, "avcodec_decode_subtitle2")
        return isComplete == 0 ? nil : unsafe taken(subtitle)
    }

    /// Returns the subtitles that the decoder still holds at the end of a source, one per call; `nil` if none is left.
    package mutating func drain() throws(FFmpegError) -> DecodedSubtitle? {
        assertMayBlock("avcodec_decode_subtitle2")
        var subtitle = unsafe AVSubtitle()
        var isComplete: CInt = 0
        let buffer = PacketBuffer()
        let status = unsafe avcodec_decode_subtitle2(pointer, &subtitle, &isComplete, buffer.pointer)
        defer { if isComplete != 0 { unsafe avsubtitle_free(&subtitle) } }
        try check(status, "avcodec_decode_subtitle2")
        return isComplete == 0 ? nil : unsafe taken(subtitle)
    }

    private func taken(_ subtitle: AVSubtitle) -> DecodedSubtitle {
        let width = unsafe Int(max(0, pointer.pointee.width))
        let height = unsafe Int(max(0, pointer.pointee.height))
        return unsafe DecodedSubtitle(subtitle, canvasWidth: width, canvasHeight: height)
    }
}

extension SubtitleCodec {
    /// Whether libavcodec classifies `codec` as text (`avcodec_descriptor_get_by_name`).
    package static func isText(_ codec: CodecID) -> Bool {
        guard let descriptor = unsafe avcodec_descriptor_get_by_name(codec.rawValue) else { return false }
        return unsafe descriptor.pointee.props & AV_CODEC_PROP_TEXT_SUB != 0
    }

    /// Whether this libavcodec can decode `codec` (`avcodec_find_decoder`).
    package static func exists(for codec: CodecID) -> Bool {
        guard let descriptor = unsafe avcodec_descriptor_get_by_name(codec.rawValue) else { return false }
        return unsafe avcodec_find_decoder(descriptor.pointee.id) != nil
    }
}
