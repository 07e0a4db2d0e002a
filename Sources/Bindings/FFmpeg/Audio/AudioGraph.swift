// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// A chain of libavfilter's audio filters. Its input is interleaved float samples of one format.
@safe struct AudioGraph: ~Copyable {
    let format: AudioFormat
    private let graph: UnsafeMutablePointer<AVFilterGraph>
    private let source: UnsafeMutablePointer<AVFilterContext>
    private let sink: UnsafeMutablePointer<AVFilterContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private var given: Int64 = 0

    private init(
        format: AudioFormat,
        graph: UnsafeMutablePointer<AVFilterGraph>,
        source: UnsafeMutablePointer<AVFilterContext>,
        sink: UnsafeMutablePointer<AVFilterContext>
    ) {
        self.format = format
        unsafe self.graph = graph
        unsafe self.source = source
        unsafe self.sink = sink
        unsafe frame = allocated(av_frame_alloc(), by: "av_frame_alloc")
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&frame)
        var graph: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
        unsafe avfilter_graph_free(&graph)
    }

    /// Builds a graph (`avfilter_graph_parse2`, `avfilter_graph_config`).
    ///
    /// - Parameters:
    ///   - filters: a chain of filters as on ffmpeg's command line.
    ///   - format: the format of the input; must be packed floats.
    static func open(_ filters: String, _ format: AudioFormat) throws(FFmpegError) -> AudioGraph {
        assertMayBlock("avfilter_graph_config")
        precondition(format.samples == .float, "the input of an audio graph is packed floats")
        let input =
            "abuffer=sample_rate=\(format.rate):sample_fmt=flt:channel_layout=0x"
            + "\(String(format.layout.mask, radix: 16)):time_base=1/\(format.rate)"
        let graph = unsafe allocated(avfilter_graph_alloc(), by: "avfilter_graph_alloc")
        do throws(FFmpegError) {
            unsafe graph.pointee.nb_threads = 1
            var inputs: UnsafeMutablePointer<AVFilterInOut>?
            var outputs: UnsafeMutablePointer<AVFilterInOut>?
            defer {
                unsafe avfilter_inout_free(&inputs)
                unsafe avfilter_inout_free(&outputs)
            }
            try check(
                unsafe avfilter_graph_parse2(graph, "\(input),\(filters),abuffersink", &inputs, &outputs),
                "avfilter_graph_parse2"
            )
            try check(unsafe avfilter_graph_config(graph, nil), "avfilter_graph_config")
            guard let (source, sink) = unsafe ends(of: graph) else {
                throw FFmpegError(-1, in: "avfilter_graph_parse2")
            }
            return unsafe AudioGraph(format: format, graph: graph, source: source, sink: sink)
        } catch {
            var unused: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
            unsafe avfilter_graph_free(&unused)
            throw error
        }
    }

    /// The first and the last filter of the chain. They may be anywhere in the list of filters, because libavfilter
    /// adds conversions to it.
    private static func ends(
        of graph: UnsafeMutablePointer<AVFilterGraph>
    ) -> (UnsafeMutablePointer<AVFilterContext>, UnsafeMutablePointer<AVFilterContext>)? {
        var source: UnsafeMutablePointer<AVFilterContext>?
        var sink: UnsafeMutablePointer<AVFilterContext>?
        for index in unsafe 0..<Int(graph.pointee.nb_filters) {
            guard let filter = unsafe graph.pointee.filters[index] else { continue }
            if unsafe filter.pointee.nb_inputs == 0 { unsafe source = filter }
            if unsafe filter.pointee.nb_outputs == 0 { unsafe sink = filter }
        }
        guard let source = unsafe source, let sink = unsafe sink else { return nil }
        return unsafe (source, sink)
    }

    /// Sends samples to the first filter (`av_buffersrc_add_frame_flags`).
    mutating func push(_ block: SampleBlock) throws(FFmpegError) { try unsafe push(block) { _ in } }

    /// - Parameter edit: changes the copy of the samples that is sent.
    mutating func push(
        _ block: SampleBlock,
        editing edit: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(FFmpegError) {
        assertMayBlock("av_buffersrc_add_frame_flags")
        guard block.count > 0 else { return }
        unsafe av_frame_unref(frame)
        unsafe frame.pointee.nb_samples = CInt(block.count)
        unsafe frame.pointee.format = format.samples.rawValue
        unsafe frame.pointee.sample_rate = CInt(format.rate)
        unsafe frame.pointee.ch_layout = format.layout.native
        unsafe frame.pointee.pts = given
        given += Int64(block.count)
        try check(unsafe av_frame_get_buffer(frame, 0), "av_frame_get_buffer")
        if let plane = block.planes.first, let target = unsafe frame.pointee.data.0 {
            unsafe plane.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                unsafe target.update(from: start, count: bytes.count)
            }
            unsafe edit(UnsafeMutableRawBufferPointer(start: target, count: plane.count))
        }
        try check(unsafe av_buffersrc_add_frame_flags(source, frame, 0), "av_buffersrc_add_frame_flags")
    }

    /// Signals the end of the input. Nothing can be pushed afterwards.
    mutating func finish() throws(FFmpegError) {
        try check(unsafe av_buffersrc_add_frame_flags(source, nil, 0), "av_buffersrc_add_frame_flags")
    }

    /// The samples that are ready.
    ///
    /// - Precondition: the last filter's output has the format of the input.
    mutating func pull() throws(FFmpegError) -> SampleBlock {
        var bytes: [UInt8] = []
        var count = 0
        let stride = format.stride
        try unsafe pull { frame in
            let samples = unsafe Int(frame.pointee.nb_samples)
            guard samples > 0, let plane = unsafe frame.pointee.data.0 else { return }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: plane, count: samples * stride))
            count += samples
        }
        return SampleBlock(planes: [bytes], count: count)
    }

    /// Calls `take` with each frame that is ready (`av_buffersink_get_frame`). The frame is valid during the call.
    mutating func pull(_ take: (UnsafePointer<AVFrame>) -> Void) throws(FFmpegError) {
        assertMayBlock("av_buffersink_get_frame")
        while true {
            unsafe av_frame_unref(frame)
            let status = unsafe av_buffersink_get_frame(sink, frame)
            if status == CFFmpegErrorAgain || status == CFFmpegErrorEOF { return }
            try check(status, "av_buffersink_get_frame")
            unsafe take(frame)
        }
    }
}
