// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A chain of libavfilter's filters from one source of pictures to one sink.
@safe struct FilterGraph: ~Copyable {
    private let graph: UnsafeMutablePointer<AVFilterGraph>
    private let source: UnsafeMutablePointer<AVFilterContext>
    private let sink: UnsafeMutablePointer<AVFilterContext>

    /// Takes ownership of a configured graph and the ends it owns.
    private init(
        _ graph: UnsafeMutablePointer<AVFilterGraph>,
        _ source: UnsafeMutablePointer<AVFilterContext>,
        _ sink: UnsafeMutablePointer<AVFilterContext>
    ) {
        unsafe self.graph = graph
        unsafe self.source = source
        unsafe self.sink = sink
    }

    deinit {
        var graph: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
        unsafe avfilter_graph_free(&graph)
    }

    /// Builds and configures a chain for pictures like `frame` (`avfilter_graph_parse_ptr`, `avfilter_graph_config`).
    ///
    /// - Parameters:
    ///   - description: filters from left to right, in the syntax of libavfilter.
    ///   - threads: how many work on one picture.
    /// - Throws: what libavfilter says of a description or a picture format that it cannot take.
    static func chain(_ description: String, for frame: VideoFrame, threads: Int) throws(FFmpegError) -> FilterGraph {
        assertMayBlock("avfilter_graph_config")
        let graph = unsafe allocated(avfilter_graph_alloc(), by: "avfilter_graph_alloc")
        unsafe graph.pointee.nb_threads = CInt(threads)
        do throws(FFmpegError) {
            let source = try unsafe end("buffer", "in", arguments(for: frame), in: graph)
            let sink = try unsafe end("buffersink", "out", nil, in: graph)
            try unsafe connect(description, from: source, to: sink, in: graph)
            return unsafe FilterGraph(graph, source, sink)
        } catch {
            var graph: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
            unsafe avfilter_graph_free(&graph)
            throw error
        }
    }

    /// Gives one picture (`av_buffersrc_write_frame`). The chain takes a reference.
    func push(_ frame: VideoFrame) throws(FFmpegError) {
        assertMayBlock("av_buffersrc_write_frame")
        try check(
            unsafe frame.withPointer { unsafe av_buffersrc_write_frame(source, $0) },
            "av_buffersrc_write_frame"
        )
    }

    /// Says that no picture follows (`av_buffersrc_close`).
    func finish() throws(FFmpegError) {
        try check(unsafe av_buffersrc_close(source, CFFmpegNoTimestamp, 0), "av_buffersrc_close")
    }

    /// The next picture that is done; `nil` when the chain wants more, or has ended (`av_buffersink_get_frame`).
    func pull() throws(FFmpegError) -> VideoFrame? {
        assertMayBlock("av_buffersink_get_frame")
        let frame = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let result = unsafe VideoFrame(taking: frame)
        let status = unsafe av_buffersink_get_frame(sink, frame)
        if status == CFFmpegErrorAgain || status == CFFmpegErrorEOF { return nil }
        try check(status, "av_buffersink_get_frame")
        return result
    }

    /// What the last picture is that comes out when all of `frames` went in.
    ///
    /// - Throws: also when nothing came out.
    static func result(of description: String, _ frames: [VideoFrame], threads: Int) throws(FFmpegError) -> VideoFrame {
        guard let first = frames.first else { throw FFmpegError(CFFmpegErrorInvalidData, in: "avfilter_graph_config") }
        let graph = try chain(description, for: first, threads: threads)
        for frame in frames { try graph.push(frame) }
        try graph.finish()
        var result: VideoFrame?
        while let frame = try graph.pull() { result = frame }
        guard let result else { throw FFmpegError(CFFmpegErrorInvalidData, in: "av_buffersink_get_frame") }
        return result
    }

    private static func arguments(for frame: VideoFrame) -> String {
        "video_size=\(frame.width)x\(frame.height):pix_fmt=\(frame.format.rawValue):time_base=1/1:pixel_aspect=1/1"
    }

    private static func end(
        _ filter: String,
        _ name: String,
        _ arguments: String?,
        in graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVFilterContext> {
        var context: UnsafeMutablePointer<AVFilterContext>?
        let status = unsafe avfilter_graph_create_filter(
            &context,
            avfilter_get_by_name(filter),
            name,
            arguments,
            nil,
            graph
        )
        try check(status, "avfilter_graph_create_filter")
        guard let context = unsafe context else {
            throw FFmpegError(cffmpeg_averror(EINVAL), in: "avfilter_graph_create_filter")
        }
        return unsafe context
    }

    /// What the description leaves open at its left end comes from `source`, at its right end it goes to `sink`.
    private static func connect(
        _ description: String,
        from source: UnsafeMutablePointer<AVFilterContext>,
        to sink: UnsafeMutablePointer<AVFilterContext>,
        in graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(FFmpegError) {
        var outputs: UnsafeMutablePointer<AVFilterInOut>? = unsafe opening("in", at: source)
        var inputs: UnsafeMutablePointer<AVFilterInOut>? = unsafe opening("out", at: sink)
        defer {
            unsafe avfilter_inout_free(&outputs)
            unsafe avfilter_inout_free(&inputs)
        }
        try check(
            unsafe avfilter_graph_parse_ptr(graph, description, &inputs, &outputs, nil),
            "avfilter_graph_parse_ptr"
        )
        try check(unsafe avfilter_graph_config(graph, nil), "avfilter_graph_config")
    }

    private static func opening(
        _ name: String,
        at filter: UnsafeMutablePointer<AVFilterContext>
    ) -> UnsafeMutablePointer<AVFilterInOut> {
        let opening = unsafe allocated(avfilter_inout_alloc(), by: "avfilter_inout_alloc")
        unsafe opening.pointee.name = av_strdup(name)
        unsafe opening.pointee.filter_ctx = filter
        unsafe opening.pointee.pad_idx = 0
        unsafe opening.pointee.next = nil
        return unsafe opening
    }
}
