// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Speeds audio up or slows it down without changing its pitch (libavfilter `atempo`, in two stages beyond a factor of
/// 2).
///
/// The output lags behind the input by up to a tenth of a second; `finish` returns the rest.
@safe package struct TempoFilter: ~Copyable {
    /// The supported tempos.
    package static let range = 0.25...4.0

    private let graph: UnsafeMutablePointer<AVFilterGraph>
    private let source: UnsafeMutablePointer<AVFilterContext>
    private let sink: UnsafeMutablePointer<AVFilterContext>
    private let frame: UnsafeMutablePointer<AVFrame>
    private let format: AudioFormat
    private var given: Int64 = 0
    private var noise: UInt32 = 1

    private init(
        graph: UnsafeMutablePointer<AVFilterGraph>,
        source: UnsafeMutablePointer<AVFilterContext>,
        sink: UnsafeMutablePointer<AVFilterContext>,
        format: AudioFormat
    ) {
        unsafe self.graph = graph
        unsafe self.source = source
        unsafe self.sink = sink
        unsafe frame = allocated(av_frame_alloc(), by: "av_frame_alloc")
        self.format = format
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
        unsafe av_frame_free(&frame)
        var graph: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
        unsafe avfilter_graph_free(&graph)
    }

    /// - Parameters:
    ///   - tempo: within `range`; above 1 is faster.
    ///   - format: the format of input and output; must be packed floats.
    package static func open(tempo: Double, _ format: AudioFormat) throws(FFmpegError) -> TempoFilter {
        assertMayBlock("avfilter_graph_config")
        precondition(format.samples == .float && range.contains(tempo), "atempo takes packed floats, and 0.25 to 4")
        let filters = steps(tempo).map { "atempo=\($0)" }.joined(separator: ",")
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
            let count = unsafe Int(graph.pointee.nb_filters)
            guard count > 2, let first = unsafe graph.pointee.filters[0],
                let last = unsafe graph.pointee.filters[count - 1]
            else { throw FFmpegError(-1, in: "avfilter_graph_parse2") }
            return unsafe TempoFilter(graph: graph, source: first, sink: last, format: format)
        } catch {
            var unused: UnsafeMutablePointer<AVFilterGraph>? = unsafe graph
            unsafe avfilter_graph_free(&unused)
            throw error
        }
    }

    /// A single filter works well only up to a factor of 2.
    private static func steps(_ tempo: Double) -> [Double] {
        (0.5...2).contains(tempo) ? [tempo] : [tempo.squareRoot(), tempo.squareRoot()]
    }

    /// Adds `block` and returns the samples completed so far.
    package mutating func process(_ block: SampleBlock) throws(FFmpegError) -> SampleBlock {
        assertMayBlock("av_buffersrc_add_frame_flags")
        guard block.count > 0 else { return try pull() }
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
            unsafe fillSilence(UnsafeMutableRawBufferPointer(start: target, count: plane.count))
        }
        try check(unsafe av_buffersrc_add_frame_flags(source, frame, 0), "av_buffersrc_add_frame_flags")
        return try pull()
    }

    /// Replaces zero samples by inaudible noise at -120 dBFS. `atempo` aligns each piece where it is most similar to
    /// the previous one. In pure silence it shifts pieces as far as it can, and audio after the silence would come
    /// early by 20 ms.
    private mutating func fillSilence(_ bytes: UnsafeMutableRawBufferPointer) {
        let samples = unsafe bytes.bindMemory(to: Float.self)
        for index in samples.indices where unsafe samples[index] == 0 {
            noise = noise &* 1_664_525 &+ 1_013_904_223
            unsafe samples[index] = Float(Int32(bitPattern: noise)) / 0x1p31 * 1e-6
        }
    }

    /// Returns the remaining samples. No more can be added.
    package mutating func finish() throws(FFmpegError) -> SampleBlock {
        try check(unsafe av_buffersrc_add_frame_flags(source, nil, 0), "av_buffersrc_add_frame_flags")
        return try pull()
    }

    private mutating func pull() throws(FFmpegError) -> SampleBlock {
        var bytes: [UInt8] = []
        var count = 0
        while true {
            unsafe av_frame_unref(frame)
            let status = unsafe av_buffersink_get_frame(sink, frame)
            if status == CFFmpegErrorAgain || status == CFFmpegErrorEOF { break }
            try check(status, "av_buffersink_get_frame")
            let samples = unsafe Int(frame.pointee.nb_samples)
            guard samples > 0, let plane = unsafe frame.pointee.data.0 else { continue }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: plane, count: samples * format.stride))
            count += samples
        }
        return SampleBlock(planes: [bytes], count: count)
    }
}
