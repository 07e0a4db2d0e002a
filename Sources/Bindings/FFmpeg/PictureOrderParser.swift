// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Determines the output order of pictures, or which field each packet holds, from the bitstream (`av_parser_parse2`),
/// for containers without presentation times.
///
/// It must be given every packet of a stream, in decode order, from a random access point on. It keeps state, so a new
/// parser is needed after a seek.
@safe package final class PictureOrderParser {
    private let parser: UnsafeMutablePointer<AVCodecParserContext>
    private let context: UnsafeMutablePointer<AVCodecContext>

    /// Takes ownership of both pointers.
    private init(parser: UnsafeMutablePointer<AVCodecParserContext>, context: UnsafeMutablePointer<AVCodecContext>) {
        unsafe self.parser = parser
        unsafe self.context = context
    }

    /// Returns `nil` for codecs without a libavcodec parser.
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

    /// The position in output order, counted from the last picture that reset the count.
    func order(of packet: UnsafePointer<AVPacket>) -> Int {
        unsafe parse(packet)
        return unsafe Int(parser.pointee.output_picture_number)
    }

    /// The part of a frame that a packet holds.
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
    /// A parser for one stream; `nil` if libavcodec has none for its codec.
    package func pictureOrderParser(of stream: Int) -> PictureOrderParser? {
        guard let info = unsafe pointer.pointee.streams[stream], let parameters = unsafe info.pointee.codecpar else {
            return nil
        }
        return unsafe PictureOrderParser.make(for: parameters)
    }

    /// Reads the next packet, as `readPacket()` does, and sets the picture order of packets of `stream`.
    package mutating func readPacket(
        ordering stream: Int,
        by parser: PictureOrderParser
    ) throws(FFmpegError) -> Packet? {
        try unsafe nextPacket { packet in
            unsafe Int(packet.pointee.stream_index) == stream ? unsafe parser.order(of: packet) : nil
        }
    }
}
