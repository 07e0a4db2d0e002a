// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineRuntime

/// A libavfilter graph with one main input and one output. Each additional input takes a single frame.
@safe struct FilterGraph: ~Copyable {
    private let graph: UnsafeMutablePointer<AVFilterGraph>
    /// The main input first, then those for single frames.
    private let sources: [UnsafeMutablePointer<AVFilterContext>]
    private let sink: UnsafeMutablePointer<AVFilterContext>

    /// Takes ownership of the graph.
    private init(
        graph: UnsafeMutablePointer<AVFilterGraph>,
        sources: [UnsafeMutablePointer<AVFilterContext>],
        sink: UnsafeMutablePointer<AVFilterContext>
    ) {
        unsafe self.graph = graph
        unsafe self.sources = sources
        unsafe self.sink = sink
    }

    deinit {
        var graph: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
        unsafe avfilter_graph_free(&graph)
    }

    /// Builds a graph (`avfilter_graph_parse_ptr`, `avfilter_graph_config`).
    ///
    /// - Parameters:
    ///   - description: filters as on ffmpeg's command line, without labels at either end. With stills, the inputs are
    ///     labelled `in`, `still0`, `still1` …, and the output is `out`.
    ///   - frame: an example of the frames to come.
    ///   - stills: examples of the frames for the other inputs.
    ///   - ticksPerSecond: the resolution of the frames' timestamps.
    ///   - threads: the maximum number of threads per frame.
    static func make(
        _ description: String,
        for frame: UnsafePointer<AVFrame>,
        stills: [UnsafePointer<AVFrame>] = unsafe [],
        ticksPerSecond: Int = 1000,
        threads: Int = 1
    ) throws(FFmpegError) -> FilterGraph {
        assertMayBlock("avfilter_graph_config")
        let graph = unsafe allocated(avfilter_graph_alloc(), by: "avfilter_graph_alloc")
        do throws(FFmpegError) {
            unsafe graph.pointee.nb_threads = CInt(clamping: threads)
            // Makes automatic conversions between filters behave as on ffmpeg's command line.
            unsafe graph.pointee.scale_sws_opts = av_strdup("flags=bicubic")
            // The graph starts its threads when it gets its first filter.
            return try CrashTag.lend { () throws(FFmpegError) in
                var sources = unsafe [try add(source: "in", for: frame, ticksPerSecond, to: graph)]
                for unsafe(place, still) in unsafe stills.enumerated() {
                    unsafe sources.append(try add(source: "still\(place)", for: still, ticksPerSecond, to: graph))
                }
                let sink = try unsafe add("buffersink", "out", nil, to: graph)
                try unsafe connect(sources, sink, description, in: graph)
                return unsafe FilterGraph(graph: graph, sources: sources, sink: sink)
            }
        } catch {
            var unused: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
            unsafe avfilter_graph_free(&unused)
            throw error
        }
    }

    private static func add(
        source name: String,
        for frame: UnsafePointer<AVFrame>,
        _ ticksPerSecond: Int,
        to graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVFilterContext> {
        let aspect = unsafe frame.pointee.sample_aspect_ratio
        let input =
            unsafe "video_size=\(frame.pointee.width)x\(frame.pointee.height):pix_fmt=\(frame.pointee.format):"
            + "time_base=1/\(ticksPerSecond):pixel_aspect=\(max(0, aspect.num))/\(max(1, aspect.den))"
        return try unsafe add("buffer", name, input, to: graph)
    }

    private static func add(
        _ filter: String,
        _ name: String,
        _ arguments: String?,
        to graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVFilterContext> {
        var made: UnsafeMutablePointer<AVFilterContext>?
        let status = unsafe avfilter_graph_create_filter(
            &made,
            avfilter_get_by_name(filter),
            name,
            arguments,
            nil,
            graph
        )
        try check(status, "avfilter_graph_create_filter")
        return unsafe allocated(made, by: "avfilter_graph_create_filter")
    }

    private static func connect(
        _ sources: [UnsafeMutablePointer<AVFilterContext>],
        _ sink: UnsafeMutablePointer<AVFilterContext>,
        _ description: String,
        in graph: UnsafeMutablePointer<AVFilterGraph>
    ) throws(FFmpegError) {
        var outputs: UnsafeMutablePointer<AVFilterInOut>? = nil
        var inputs: UnsafeMutablePointer<AVFilterInOut>? = nil
        defer {
            unsafe avfilter_inout_free(&outputs)
            unsafe avfilter_inout_free(&inputs)
        }
        // The open outputs of the graph so far are the inputs of the parsed description.
        for index in unsafe sources.indices.reversed() {
            let open = unsafe allocated(avfilter_inout_alloc(), by: "avfilter_inout_alloc")
            unsafe open.pointee.name = av_strdup(index == 0 ? "in" : "still\(index - 1)")
            unsafe open.pointee.filter_ctx = sources[index]
            unsafe open.pointee.next = outputs
            unsafe outputs = open
        }
        let close = unsafe allocated(avfilter_inout_alloc(), by: "avfilter_inout_alloc")
        unsafe close.pointee.name = av_strdup("out")
        unsafe close.pointee.filter_ctx = sink
        unsafe inputs = close
        try check(
            unsafe avfilter_graph_parse_ptr(graph, description, &inputs, &outputs, nil),
            "avfilter_graph_parse_ptr"
        )
        try check(unsafe avfilter_graph_config(graph, nil), "avfilter_graph_config")
    }

    /// Sends a frame, which the caller continues to own (`av_buffersrc_write_frame`).
    mutating func push(_ frame: UnsafePointer<AVFrame>) throws(FFmpegError) {
        assertMayBlock("av_buffersrc_write_frame")
        try check(unsafe av_buffersrc_write_frame(sources[0], frame), "av_buffersrc_write_frame")
    }

    /// Sends the single frame of another input. The caller continues to own it.
    mutating func push(_ frame: UnsafePointer<AVFrame>, still place: Int) throws(FFmpegError) {
        assertMayBlock("av_buffersrc_write_frame")
        try check(unsafe av_buffersrc_write_frame(sources[place + 1], frame), "av_buffersrc_write_frame")
        try check(unsafe av_buffersrc_add_frame_flags(sources[place + 1], nil, 0), "av_buffersrc_add_frame_flags")
    }

    /// Signals the end of the main input.
    mutating func finish() throws(FFmpegError) {
        try check(unsafe av_buffersrc_add_frame_flags(sources[0], nil, 0), "av_buffersrc_add_frame_flags")
    }

    /// Returns the next finished frame, which the caller must free (`av_buffersink_get_frame`).
    mutating func pull() throws(FFmpegError) -> UnsafeMutablePointer<AVFrame> {
        assertMayBlock("av_buffersink_get_frame")
        let frame = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let status = unsafe av_buffersink_get_frame(sink, frame)
        guard status < 0 else { return unsafe frame }
        var unused: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&unused)
        throw FFmpegError(status, in: "av_buffersink_get_frame")
    }

    /// Returns the next finished frame, which the caller must free, and its time; `nil` if none is ready, or at the
    /// end.
    mutating func pullIfDone() throws(FFmpegError) -> (frame: UnsafeMutablePointer<AVFrame>, microseconds: Int64)? {
        do throws(FFmpegError) {
            let frame = try unsafe pull()
            let base = unsafe av_buffersink_get_time_base(sink)
            let ticks = unsafe frame.pointee.pts.timestamp ?? 0
            return unsafe (frame, av_rescale_q(ticks, base, AVRational(num: 1, den: 1_000_000)))
        } catch {
            if error.code == CFFmpegErrorAgain || error.code == CFFmpegErrorEOF { return nil }
            throw error
        }
    }

    /// Sends one frame through a temporary graph.
    ///
    /// - Returns: a frame that the caller must free.
    static func filtered(
        _ frame: UnsafePointer<AVFrame>,
        by description: String
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVFrame> {
        var graph = try unsafe make(description, for: frame)
        try unsafe graph.push(frame)
        return try unsafe graph.pull()
    }
}
