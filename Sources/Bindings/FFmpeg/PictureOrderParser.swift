// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Tells the place of each picture in output order, or which field it is, from its own headers (`av_parser_parse2`), for
/// containers that have no presentation times.
///
/// Fed with every packet of a stream in decode order from a random access point on. It remembers what it has seen, so
/// after a seek a new one is needed.
@safe package final class PictureOrderParser {
    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let context: UnsafeMutablePointer<AVCodecContext>

    /// Takes both over.
    private init(parser: UnsafeMutablePointer<AVCodecParserContext>, context: UnsafeMutablePointer<AVCodecContext>) {
        unsafe self.parser = parser
        unsafe self.context = context
    }

    /// `nil` for codecs that libavcodec has no parser for.
    static func make(for parameters: UnsafePointer<AVCodecParameters>) -> PictureOrderParser? {
        guard let parser = unsafe av_parser_init(CInt(bitPattern: parameters.pointee.codec_id.rawValue)) else {
            return nil
        }
        let context = unsafe allocated(avcodec_alloc_context3(nil), by: "avcodec_alloc_context3")
        unsafe parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
        let made = unsafe PictureOrderParser(parser: parser, context: context)
        guard unsafe avcodec_parameters_to_context(context, parameters) >= 0 else { return nil }
        return made
    }

    deinit {
        unsafe av_parser_close(parser)
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// Counted from the last picture that started the count anew.
    func order(of packet: UnsafePointer<AVPacket>) -> Int {
        unsafe parse(packet)
        return unsafe Int(parser.pointee.output_picture_number)
    }

    /// Which part of a frame a packet holds.
    package enum Structure: Hashable, Sendable {
        case frame
        case topField
        case bottomField
    }

    package func structure(of packet: Packet) -> Structure {
        unsafe packet.withPointer { unsafe parse($0) }
        switch unsafe parser.pointee.picture_structure {
        case AV_PICTURE_STRUCTURE_TOP_FIELD: return .topField
        case AV_PICTURE_STRUCTURE_BOTTOM_FIELD: return .bottomField
        default: return .frame
        }
    }

    private func parse(_ packet: UnsafePointer<AVPacket>) {
        var output: UnsafeMutablePointer<UInt8>?
        var count: CInt = 0
        unsafe av_parser_parse2(
            parser,
            context,
            &output,
            &count,
            packet.pointee.data,
            packet.pointee.size,
            CFFmpegNoTimestamp,
            CFFmpegNoTimestamp,
            packet.pointee.pos
        )
    }
}

extension FormatContext {
    /// A parser for one stream. `nil` where pictures cannot be told apart.
    package func pictureOrderParser(of stream: Int) -> PictureOrderParser? {
        guard let info = unsafe pointer.pointee.streams[stream], let parameters = unsafe info.pointee.codecpar else {
            return nil
        }
        return unsafe PictureOrderParser.make(for: parameters)
    }

    /// Reads the next packet as `readPacket()` does, and numbers those of `stream`.
    package mutating func readPacket(
        ordering stream: Int,
        by parser: PictureOrderParser
    ) throws(FFmpegError) -> Packet? {
        try unsafe nextPacket { packet in
            unsafe Int(packet.pointee.stream_index) == stream ? unsafe parser.order(of: packet) : nil
        }
    }
}
