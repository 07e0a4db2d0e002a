// SPDX-License-Identifier: Apache-2.0

/// A chain of filters that changes audio without changing its format, its times or the number of its samples.
///
/// Each output sample corresponds to the input sample with the same index. Output may be returned by a later call,
/// because limiters look ahead; `finish` returns the rest.
@safe package struct SoundFilter: ~Copyable {
    /// The number of samples that are filtered at a time, so that a long block does not need several times its memory.
    private static let pieceLength = 8192
    /// The highest sample that filters get: 3 dB above full scale, which decoders of lossy codecs reach.
    private static let highest: Float = 1.4125

    private let format: AudioFormat
    private var graph: AudioGraph
    private var given = 0
    private var taken = 0

    private init(_ graph: consuming AudioGraph, _ format: AudioFormat) {
        self.graph = graph
        self.format = format
    }

    /// - Parameters:
    ///   - filters: filters as on ffmpeg's command line, none of which shifts samples or changes their number.
    ///   - format: the format of input and output; must be packed floats.
    package static func open(_ filters: String, _ format: AudioFormat) throws(FFmpegError) -> SoundFilter {
        SoundFilter(try AudioGraph.open("\(filters),aformat=sample_fmts=flt", format), format)
    }

    /// Filters a complete piece of audio, with nothing before or after it.
    package static func apply(
        _ filters: String,
        to block: SampleBlock,
        _ format: AudioFormat
    ) throws(FFmpegError) -> SampleBlock {
        var filter = try open(filters, format)
        let body = try filter.process(block)
        let rest = try filter.finish()
        return SampleBlock(
            planes: [(body.planes.first ?? []) + (rest.planes.first ?? [])],
            count: body.count + rest.count
        )
    }

    /// Adds `block` and returns the samples completed so far.
    package mutating func process(_ block: SampleBlock) throws(FFmpegError) -> SampleBlock {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(block.count * format.stride)
        given += block.count
        var count = 0
        for piece in block.pieces(of: Self.pieceLength, stride: format.stride) {
            try unsafe graph.push(piece) { unsafe Self.bound($0) }
            let done = try graph.pull()
            bytes += done.planes.first ?? []
            count += done.count
        }
        taken += count
        return SampleBlock(planes: [bytes], count: count)
    }

    /// Limits samples to `highest`, and replaces NaN by silence. Damaged packets decode to values far beyond the limit,
    /// which would affect the state of filters for seconds, and NaN would affect it forever.
    private static func bound(_ bytes: UnsafeMutableRawBufferPointer) {
        let samples = unsafe bytes.bindMemory(to: Float.self)
        for index in samples.indices {
            let sample = unsafe samples[index]
            // The comparison is false for NaN.
            guard !(sample.magnitude <= highest) else { continue }
            unsafe samples[index] = sample.isNaN ? 0 : sample < 0 ? -highest : highest
        }
    }

    /// Returns the remaining samples. No more can be added.
    ///
    /// All calls together return as many samples as were added: resamplers may end with more, and return nothing for an
    /// input that is shorter than their filters.
    package mutating func finish() throws(FFmpegError) -> SampleBlock {
        try graph.finish()
        let rest = try graph.pull()
        let count = max(0, given - taken)
        taken += count
        let bytes = (rest.planes.first ?? []).prefix(count * format.stride)
        let missing = count * format.stride - bytes.count
        return SampleBlock(planes: [Array(bytes) + [UInt8](repeating: 0, count: missing)], count: count)
    }
}

extension SampleBlock {
    /// The block in pieces of at most `length` samples. Must have one plane, of `stride` bytes per sample.
    fileprivate func pieces(of length: Int, stride: Int) -> [SampleBlock] {
        guard count > length, let plane = planes.first else { return [self] }
        return Swift.stride(from: 0, to: count, by: length).map { first in
            let end = min(count, first + length)
            return SampleBlock(planes: [Array(plane[first * stride..<end * stride])], count: end - first)
        }
    }
}
