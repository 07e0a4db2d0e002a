// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import Packaging

/// The samples of a canvas as the encoder takes them: changed as the load asks for, mixed and converted.
struct BridgeSamples {
    private(set) var block: SampleBlock
    /// The samples of the block that are heard. All others are silent.
    let part: Range<Int>
    /// The position of the first sample of `part`, at the encoder's rate.
    let start: Int64
    /// Whether a filter failed, so that the audio is as in the source.
    private(set) var isUntreated = false

    /// - Parameter limiter: returns the filter that limits audio of a sample rate.
    init(
        _ canvas: SampleCanvas,
        _ plan: BridgePlan,
        limiter: (Int) -> String = SoundChain.limiter
    ) throws(FFmpegError) {
        let (source, target) = (plan.canvas, plan.encoding.format)
        if plan.sound == nil, source == target, let stretch = canvas.onlyStretch {
            (block, part, start) = (stretch.block, stretch.part, stretch.start)
            return
        }
        let samples = canvas.block
        var changed: SampleBlock?
        if let sound = plan.sound {
            do throws(FFmpegError) {
                changed = try Self.treated(samples, by: sound, source, target, limiter(target.rate))
            } catch {
                // Untreated audio is better than none.
                isUntreated = true
            }
        }
        block = if let changed { changed } else { try Self.converted(samples, from: source, to: target) }
        part = 0..<block.count
        start = plan.outputSamples(canvas.range.lowerBound)
    }

    /// The samples of one format of the source, and the bridge that decoded them.
    struct Layer {
        let canvas: SampleCanvas
        let plan: BridgePlan
    }

    /// The samples of several parts of the source, one after the other. Where they overlap, the later part is heard.
    ///
    /// - Parameters:
    ///   - layers: at least one, in the order of the source.
    ///   - format: the encoder's.
    init(_ layers: [Layer], _ format: AudioFormat) throws(FFmpegError) {
        let parts = try layers.map { layer throws(FFmpegError) in try BridgeSamples(layer.canvas, layer.plan) }
        guard parts.count > 1 else {
            self = parts[0]
            return
        }
        let ends = parts.map { $0.start + Int64($0.part.count) }
        let range = (parts.map(\.start).min() ?? 0)..<(ends.max() ?? 0)
        var whole = SampleCanvas(format: format, range: range)
        for (place, part) in parts.enumerated() {
            let (canvas, plan) = (layers[place].canvas, layers[place].plan)
            guard let first = canvas.dataStart, let last = canvas.dataEnd else { continue }
            let later = layers[(place + 1)...].compactMap { later in
                later.canvas.dataStart.map { later.plan.outputSamples($0) }
            }
            let from = max(part.start, plan.outputSamples(first))
            let to = min(ends[place], plan.outputSamples(last), later.min() ?? .max)
            guard from < to else { continue }
            let index = part.part.lowerBound + Int(from - part.start)
            whole.lay(part.block, index..<index + Int(to - from), at: from)
        }
        block = whole.block
        self.part = 0..<block.count
        start = range.lowerBound
        isUntreated = parts.contains(where: \.isUntreated)
    }

    /// Channels of the source are changed before they are mixed; the limiter works on the channels that are heard.
    private static func treated(
        _ block: SampleBlock,
        by sound: SoundChain,
        _ source: AudioFormat,
        _ target: AudioFormat,
        _ limiter: String
    ) throws(FFmpegError) -> SampleBlock {
        let mixed = AudioFormat(samples: .float, rate: target.rate, layout: target.layout)
        let filters = sound.shaping(source.layout.mask)
        var block = block
        if !filters.isEmpty { block = try SoundFilter.apply(filters, to: block, source) }
        block = try converted(block, from: source, to: mixed)
        block = try SoundFilter.apply(limiter, to: block, mixed)
        return try converted(block, from: mixed, to: target)
    }

    private static func converted(
        _ block: SampleBlock,
        from source: AudioFormat,
        to target: AudioFormat
    ) throws(FFmpegError) -> SampleBlock {
        guard source != target else { return block }
        var converter = try AudioConverter.open(from: source, to: target)
        let body = try converter.convert(block)
        guard source.rate != target.rate else { return body }
        let rest = try converter.convert(nil)
        let planes = zip(body.planes, rest.planes).map { $0 + $1 }
        return SampleBlock(planes: planes, count: body.count + rest.count)
    }
}
