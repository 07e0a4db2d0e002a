// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Renders SVG documents with libavcodec's `librsvg`. External references in a document are not loaded.
package enum Drawing {
    /// The size to render a document at, in display pixels of the frame.
    package struct Size: Hashable, Sendable {
        package var width: Int
        package var height: Int

        package init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// Renders a document as large as fits, centred in a frame of `size`, or stretched to that size. Colours are sRGB,
    /// premultiplied.
    ///
    /// - Throws: if the document is not SVG, or libavcodec was built without librsvg.
    package static func draw(_ svg: [UInt8], in size: Size, isStretched: Bool) throws(FFmpegError) -> VideoFrame {
        if isStretched { return try decode(svg, width: size.width, height: size.height, keepsAspect: false) }
        let wide = try decode(svg, width: size.width, height: 0, keepsAspect: true)
        if wide.height <= size.height { return try centered(wide, in: size) }
        return try centered(try decode(svg, width: 0, height: size.height, keepsAspect: true), in: size)
    }

    private static func centered(_ drawing: VideoFrame, in size: Size) throws(FFmpegError) -> VideoFrame {
        guard drawing.width < size.width || drawing.height < size.height else { return drawing }
        let (x, y) = ((size.width - drawing.width) / 2, (size.height - drawing.height) / 2)
        return try FilterGraph.filtered(drawing, by: "pad=\(size.width):\(size.height):\(x):\(y):color=black@0")
    }

    private static func decode(
        _ svg: [UInt8],
        width: Int,
        height: Int,
        keepsAspect: Bool
    ) throws(FFmpegError) -> VideoFrame {
        assertMayBlock("avcodec_send_packet")
        guard let codec = unsafe avcodec_find_decoder_by_name("librsvg") else {
            throw FFmpegError(CFFmpegErrorDecoderNotFound, in: "avcodec_find_decoder_by_name")
        }
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe allocated(
            avcodec_alloc_context3(codec),
            by: "avcodec_alloc_context3"
        )
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe allocated(av_packet_alloc(), by: "av_packet_alloc")
        defer {
            unsafe avcodec_free_context(&context)
            unsafe av_packet_free(&packet)
        }
        for (name, value) in [("width", width), ("height", height), ("keep_ar", keepsAspect ? 1 : 0)] {
            try check(
                unsafe av_opt_set_int(context, name, Int64(value), AV_OPT_SEARCH_CHILDREN),
                "av_opt_set_int"
            )
        }
        // Bounds the side that librsvg derives from an extreme aspect ratio.
        unsafe context?.pointee.max_pixels = 8192 * 8192
        try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
        try check(unsafe av_new_packet(packet, CInt(clamping: svg.count)), "av_new_packet")
        for index in svg.indices { unsafe packet?.pointee.data[index] = svg[index] }
        try check(unsafe avcodec_send_packet(context, packet), "avcodec_send_packet")
        let frame = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let status = unsafe avcodec_receive_frame(context, frame)
        guard status < 0 else { return unsafe VideoFrame(taking: frame) }
        var unused: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&unused)
        throw FFmpegError(status, in: "avcodec_receive_frame")
    }
}
