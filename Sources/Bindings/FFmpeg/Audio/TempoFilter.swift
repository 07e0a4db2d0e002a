// SPDX-License-Identifier: Apache-2.0

/// Speeds audio up or slows it down without changing its pitch (libavfilter `atempo`, in two stages beyond a factor of
/// 2).
///
/// The output lags behind the input by up to a tenth of a second; `finish` returns the rest.
@safe package struct TempoFilter: ~Copyable {
    /// The supported tempos.
    package static let range = 0.25...4.0

    private var graph: AudioGraph
    private var noise = InaudibleNoise()

    private init(_ graph: consuming AudioGraph) { self.graph = graph }

    /// - Parameters:
    ///   - tempo: within `range`; above 1 is faster.
    ///   - format: the format of input and output; must be packed floats.
    package static func open(tempo: Double, _ format: AudioFormat) throws(FFmpegError) -> TempoFilter {
        precondition(range.contains(tempo), "the tempo must be from 0.25 to 4")
        let filters = steps(tempo).map { "atempo=\($0)" }.joined(separator: ",")
        return TempoFilter(try AudioGraph.open(filters, format))
    }

    /// A single filter works well only up to a factor of 2.
    private static func steps(_ tempo: Double) -> [Double] {
        (0.5...2).contains(tempo) ? [tempo] : [tempo.squareRoot(), tempo.squareRoot()]
    }

    /// Adds `block` and returns the samples completed so far.
    package mutating func process(_ block: SampleBlock) throws(FFmpegError) -> SampleBlock {
        var noise = noise
        try unsafe graph.push(block) { unsafe noise.replaceSilence(in: $0) }
        self.noise = noise
        return try graph.pull()
    }

    /// Returns the remaining samples. No more can be added.
    package mutating func finish() throws(FFmpegError) -> SampleBlock {
        try graph.finish()
        return try graph.pull()
    }
}

/// Replaces zero samples by inaudible noise at -120 dBFS. `atempo` aligns each piece where it is most similar to the
/// previous one. In pure silence it shifts pieces as far as it can, and audio after the silence would come early by
/// 20 ms.
private struct InaudibleNoise {
    private var state: UInt32 = 1

    mutating func replaceSilence(in bytes: UnsafeMutableRawBufferPointer) {
        let samples = unsafe bytes.bindMemory(to: Float.self)
        for index in samples.indices where unsafe samples[index] == 0 {
            state = state &* 1_664_525 &+ 1_013_904_223
            unsafe samples[index] = Float(Int32(bitPattern: state)) / 0x1p31 * 1e-6
        }
    }
}
