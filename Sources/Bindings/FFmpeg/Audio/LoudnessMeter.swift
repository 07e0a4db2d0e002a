// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Measures the loudness of decoded audio: libavfilter's `ebur128`, and for the true peak the highest sample at 192
/// kHz, as `ebur128` determines it.
///
/// Audio is measured at the rate and with the channels of the first samples; samples of another format are converted.
@safe package struct LoudnessMeter: ~Copyable {
    /// The peak is taken from `astats`, which reports it in decibels: `ebur128` reports a fraction of full scale with
    /// three decimals, which is too coarse for quiet audio. The level of `ebur128`'s log lines does not matter, because
    /// libav*'s log is silenced.
    private static let filters =
        "ebur128=metadata=1:framelog=verbose,aresample=192000,"
        + "astats=metadata=1:measure_overall=Peak_level:measure_perchannel=none"
    /// The absolute gate, which `ebur128` also reports if nothing is above it.
    private static let gate = -70.0

    private var graph: AudioGraph
    private var converter: AudioConverter
    private var input: AudioFormat
    private var count: Int64 = 0
    private var latest = Latest()

    /// The latest values that the filters reported.
    private struct Latest {
        var integrated: Double?
        var range: Double?
        var peak: Double?

        mutating func take(_ frame: UnsafePointer<AVFrame>) {
            let metadata = unsafe frame.pointee.metadata
            unsafe integrated = LoudnessMeter.value("lavfi.r128.I", in: metadata) ?? integrated
            unsafe range = LoudnessMeter.value("lavfi.r128.LRA", in: metadata) ?? range
            unsafe peak = LoudnessMeter.value("lavfi.astats.Overall.Peak_level", in: metadata) ?? peak
        }
    }

    private init(_ graph: consuming AudioGraph, _ converter: consuming AudioConverter, _ input: AudioFormat) {
        self.graph = graph
        self.converter = converter
        self.input = input
    }

    /// - Parameter format: that of the first samples.
    package static func open(_ format: AudioFormat) throws(FFmpegError) -> LoudnessMeter {
        let measured = AudioFormat(samples: .float, rate: format.rate, layout: format.layout)
        let graph = try AudioGraph.open(filters, measured)
        return LoudnessMeter(graph, try AudioConverter.open(from: format, to: measured), format)
    }

    package mutating func add(_ block: SampleBlock, _ format: AudioFormat) throws(FFmpegError) {
        if format != input {
            try push(converter.convert(nil))
            converter = try AudioConverter.open(from: format, to: graph.format)
            input = format
        }
        try push(converter.convert(block))
    }

    /// Ends the measurement. Nothing can be added afterwards.
    package mutating func finish() throws(FFmpegError) -> Loudness {
        try push(converter.convert(nil))
        try graph.finish()
        try read()
        let integrated = latest.integrated ?? Self.gate
        return Loudness(
            integrated: integrated > Self.gate ? integrated : -.infinity,
            range: latest.range ?? 0,
            truePeak: latest.peak ?? -.infinity,
            duration: MediaTime(count, in: .hertz(Int64(graph.format.rate)))
        )
    }

    private mutating func push(_ block: SampleBlock) throws(FFmpegError) {
        count += Int64(block.count)
        try graph.push(block)
        try read()
    }

    private mutating func read() throws(FFmpegError) {
        var latest = latest
        try unsafe graph.pull { unsafe latest.take($0) }
        self.latest = latest
    }

    private static func value(_ key: String, in metadata: OpaquePointer?) -> Double? {
        guard let entry = unsafe av_dict_get(metadata, key, nil, 0), let text = unsafe entry.pointee.value else {
            return nil
        }
        return Double(unsafe String(cString: text))
    }
}
