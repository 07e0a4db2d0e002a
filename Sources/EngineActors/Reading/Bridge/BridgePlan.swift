// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The parameters for bridging one track. They are the same for every segment; in a source of several formats, for all
/// packets of one format (`Packet.format`).
package struct BridgePlan: Sendable {
    let input: AudioBridgeInput
    /// The format to which decoded samples are converted before they are placed, at the source's rate: without `sound`,
    /// the encoder's sample format and channels; with `sound`, floats with the source's channels.
    let canvas: AudioFormat
    let encoding: AudioEncoding
    let placement: SamplePlacement
    /// How long before a wanted sample the decoder must start.
    var preroll: MediaTime
    /// The time of the track's first packet that yields audio, in ticks of the stream.
    let firstTime: Int64
    /// The position of the track's first sample on the timeline, in samples at the encoder's rate.
    let firstSample: Int64
    /// How the audio is changed before it is encoded; `nil`: not at all.
    var sound: SoundChain?
    /// `Packet.format` of the packets that `input` decodes.
    var format = 0
    /// The same bridge for packets of other formats, by `Packet.format`.
    var inputs: [Int: BridgePlan] = [:]

    /// The number of frames that the encoder is fed after the last wanted frame, because encoders look ahead.
    private static let lookahead: Int64 = 2
    /// The number of extra source samples that a rate conversion needs on each side.
    private static let filterMargin: Int64 = 1024
    private static let postroll = MediaTime.seconds(0.05)

    /// The bit rate of the output, in bits per second; for a lossless codec, that of the uncompressed samples.
    package var bitRate: Int {
        let format = encoding.format
        let settings = encoding.settings
        return isLossless ? settings.bitDepth * format.rate * format.layout.count : settings.bitRate
    }

    var frameLength: Int64 { encoding.frameLength }
    var isLossless: Bool { encoding.settings.bitRate == 0 }
    var outputBase: TimeBase { .hertz(Int64(encoding.format.rate)) }
    private var inputBase: TimeBase { .hertz(Int64(canvas.rate)) }

    /// The number of source samples that the filters of `sound` are given before those that are wanted.
    private var soundPreroll: Int64 { sound == nil ? 0 : SoundChain.preroll.ticks(in: inputBase, rounding: .up) }

    /// The same bridge for packets of another format. It decodes them, and encodes as before.
    ///
    /// - Parameters:
    ///   - sample: the first of those packets, with a trial decoding of them.
    ///   - first: the time of `sample`'s first packet, in ticks of the stream.
    ///   - format: `Packet.format` of those packets.
    /// - Returns: `nil` if they cannot be decoded.
    func decoding(_ sample: AudioSample, from first: Int64, format: Int) -> BridgePlan? {
        guard let trial = sample.trial, let frame = trial.frame else { return nil }
        let canvas = Self.canvas(for: frame.format, encoding.format, isTreated: sound != nil)
        return BridgePlan(
            input: AudioBridgeInput(
                parameters: sample.parameters,
                format: frame.format,
                packetTicks: max(1, sample.packets.first?.duration ?? 0, trial.packetTicks(in: placement.timeBase))
            ),
            canvas: canvas,
            encoding: encoding,
            placement: SamplePlacement(
                trial,
                of: sample.info,
                origin: placement.origin,
                rate: canvas.rate,
                first: first
            ),
            preroll: .seconds(AudioMatrix.preroll(of: sample.info.codec, frameLength: trial.frameLength ?? 0)),
            firstTime: firstTime,
            firstSample: firstSample,
            sound: sound,
            format: format
        )
    }

    /// See `canvas`.
    static func canvas(for source: AudioFormat, _ encoder: AudioFormat, isTreated: Bool) -> AudioFormat {
        guard isTreated else {
            return AudioFormat(samples: encoder.samples, rate: source.rate, layout: encoder.layout)
        }
        // The source's channels. A single rear pair counts as back or side, whichever fits the encoder's layout.
        let choice = ChannelPlan.choose(
            for: source.layout.mask,
            among: [encoder.layout.mask],
            atMost: encoder.layout.count
        )
        return AudioFormat(samples: .float, rate: source.rate, layout: ChannelLayout(mask: choice.source))
    }

    /// Whether this bridge decodes audio with another rate or other channels than `other`.
    func differs(from other: BridgePlan) -> Bool {
        input.format.rate != other.input.format.rate || input.format.layout != other.input.format.layout
    }

    /// The bridge that decodes packets of a format. `nil` if none does.
    func input(ofFormat format: Int) -> BridgePlan? { format == self.format ? self : inputs[format] }

    /// The start of the encoder's first frame for a segment, in samples at its rate.
    func inputStart(for start: Int64) -> Int64 { start + encoding.delay - encoding.leadingFrames * frameLength }

    /// The range of source samples, at the source's rate, from which the frames between two positions are encoded. Starts
    /// where a sample of the source and one of the encoder coincide.
    func canvasRange(from start: Int64, to end: Int64) -> Range<Int64> {
        let first = inputStart(for: start)
        let last = end + encoding.delay + Self.lookahead * frameLength
        guard canvas.rate != encoding.format.rate else { return first - soundPreroll..<last }
        let unit = Int64(canvas.rate / greatestCommonDivisor(canvas.rate, encoding.format.rate))
        let low = outputBase.rescale(first, to: inputBase, rounding: .down) - Self.filterMargin - soundPreroll
        let aligned = (low >= 0 ? low / unit : -((-low + unit - 1) / unit)) * unit
        return aligned..<outputBase.rescale(last, to: inputBase, rounding: .up) + Self.filterMargin
    }

    /// The range of times of the packets on which frames between two positions depend, in ticks of the stream.
    func packetWindow(from start: Int64, to end: Int64) -> Range<Int64> {
        let samples = canvasRange(from: start, to: end)
        let base = placement.timeBase
        let low = inputBase.rescale(samples.lowerBound, to: base, rounding: .down) &+ placement.origin
        let high = inputBase.rescale(samples.upperBound, to: base, rounding: .up) &+ placement.origin
        let before = saturatingSum(preroll.ticks(in: base, rounding: .up), input.packetTicks)
        let first = saturatingSum(low, -before)
        let last = saturatingSum(high, Self.postroll.ticks(in: base, rounding: .up) + 1)
        return first..<max(first, last)
    }

    /// The approximate number of samples, at the source's rate, in the packets of `packetWindow`.
    func sampleCount(from start: Int64, to end: Int64) -> Int {
        let window = packetWindow(from: start, to: end)
        let ticks = window.upperBound &- window.lowerBound
        return Int(Self.bounded(placement.timeBase.rescale(saturatingSum(ticks, input.packetTicks), to: inputBase)))
    }

    /// The longest time from the start of a frame to a packet on which the frame depends.
    var ahead: MediaTime {
        let packets = packetWindow(from: 0, to: frameLength)
        return MediaTime(packets.upperBound &- placement.origin, in: placement.timeBase)
    }

    /// Clamps a position on the timeline to a range in which calculations cannot overflow, because a file may state any
    /// value.
    static func bounded(_ samples: Int64) -> Int64 { min(max(samples, -1 << 52), 1 << 52) }

    /// The number of samples at the encoder's rate that last as long as `ticks` of the stream, at most a minute.
    func outputSamples(ofTicks ticks: Int64) -> Int64 {
        min(placement.timeBase.rescale(max(0, ticks), to: outputBase, rounding: .up), 60 * outputBase.denominator)
    }

    /// The number of samples of a track's last packet that are heard. The others are padding of the last frame, after
    /// the end of the track (RFC 9559 §5.1.3.5.7, RFC 7845 §4.4).
    ///
    /// - Parameters:
    ///   - decoded: how many samples were decoded from it. Unless that is exactly one frame of constant length, all count
    ///     as heard, because some may belong to earlier packets.
    ///   - end: where the track ends, in samples at the encoder's rate. Unless both this and the packet's time are known,
    ///     the packet's duration decides.
    func heardSamples(ofLast packet: BridgePacket?, decoded: Int, end: Int64?) -> Int {
        guard let packet, let grid = placement.grid, Int64(decoded) == grid.length else { return decoded }
        let base = placement.timeBase
        var duration = packet.packet.duration
        if let end, let time = packet.time {
            duration = outputBase.rescale(end, to: base, rounding: .up) &+ placement.origin &- time
        }
        func samples(_ ticks: Int64) -> Int64 { base.rescale(ticks, to: inputBase, rounding: .up) }
        // Times may be rounded, so a duration that one more tick would make a whole frame counts as one. A duration of 0 or
        // less is ignored.
        guard duration > 0, samples(saturatingSum(duration, 1)) < grid.length else { return decoded }
        return Int(samples(duration))
    }

    /// Converts a position at the source's rate to samples at the encoder's rate.
    func outputSamples(_ samples: Int64) -> Int64 { inputBase.rescale(samples, to: outputBase, rounding: .up) }
}

private func saturatingSum(_ first: Int64, _ second: Int64) -> Int64 {
    let (sum, isOver) = first.addingReportingOverflow(second)
    return isOver ? second > 0 ? .max : .min : sum
}

func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
    var (first, second) = (first, second)
    while second != 0 { (first, second) = (second, first % second) }
    return max(1, first)
}
