// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// A bridge that was tried on a track's first packets: its formats are known, but its position on the timeline is not.
struct BridgeDraft {
    let setup: TrackSetup
    let target: AudioTarget
    /// The audio properties that decoding the source revealed.
    let found: AudioProperties
    let input: AudioBridgeInput
    private let info: StreamInfo
    private let canvas: AudioFormat
    private let encoding: AudioEncoding
    private let trial: DecodingTrial
    private let sound: SoundChain?

    /// Decodes the first packets and opens the encoder for their format.
    ///
    /// - Parameter sound: how the audio is changed; `nil`: not at all.
    /// - Throws: `unsupportedCodec` if no decoder can be opened, if the packets yield no audio or split units of
    ///   samples, or if the encoder is missing or cannot be opened.
    static func make(
        _ target: AudioTarget,
        of info: StreamInfo,
        _ description: StreamDescription,
        _ parameters: CodecParameters,
        packets: [Packet],
        isCounted: Bool,
        maximumChannels: Int,
        sound: SoundChain?
    ) throws(PackagingError) -> BridgeDraft {
        do {
            let step = max(1, packets.first?.duration ?? 1)
            let times = packets.enumerated().map { isCounted ? Int64($0) * step : $1.pts ?? $1.dts }
            let trial = try DecodingTrial(packets, times: times, parameters)
            guard let frame = trial.frame else {
                throw PackagingError(
                    .unsupportedCodec,
                    "no audio could be decoded from \(packets.count) \(info.codec.rawValue) packets"
                )
            }
            try checkUnits(of: packets, frame, info.codec)
            let encoder = settings(for: frame, target, maximumChannels: maximumChannels)
            var opened = try AudioEncoder.open(encoder)
            let first = try silentFrames(&opened, encoder.format)
            let setup = try setup(target, encoder, opened.extradata, first, description)
            return BridgeDraft(
                setup: setup,
                target: target,
                found: properties(
                    of: frame,
                    description.audio ?? AudioProperties(),
                    isLossless: target.isLosslessSource
                ),
                input: AudioBridgeInput(
                    parameters: parameters,
                    format: frame.format,
                    packetTicks: isCounted
                        ? step : max(1, packets.first?.duration ?? 0, trial.packetTicks(in: info.timeBase))
                ),
                info: info,
                canvas: BridgePlan.canvas(for: frame.format, encoder.format, isTreated: sound != nil),
                encoding: AudioEncoding(
                    settings: encoder,
                    frameLength: Int64(opened.frameLength),
                    delay: Int64(opened.delay),
                    leadingFrames: Int64(target.leadingFrames)
                ),
                trial: trial,
                sound: sound
            )
        } catch {
            throw PackagingError(.unsupportedCodec, "cannot re-encode to \(target.codec.rawValue): \(error)")
        }
    }

    /// The bridge with its position on the timeline.
    ///
    /// - Parameters:
    ///   - origin: where the timeline starts, in ticks of the stream.
    ///   - first: the time of the track's first packet, in ticks of the stream.
    func plan(origin: Int64, first: Int64) -> BridgePlan {
        let placement = SamplePlacement(trial, of: info, origin: origin, rate: canvas.rate, first: first)
        let first = max(first, trial.firstTime ?? first)
        let start = BridgePlan.bounded(
            info.timeBase.rescale(max(0, first &- origin), to: .hertz(Int64(encoding.format.rate)))
        )
        return BridgePlan(
            input: input,
            canvas: canvas,
            encoding: encoding,
            placement: placement,
            preroll: .seconds(AudioMatrix.preroll(of: info.codec, frameLength: trial.frameLength ?? 0)),
            firstTime: first,
            firstSample: start,
            sound: sound
        )
    }

    /// Whether channels of the source are mixed into other channels.
    var isMixed: Bool { ChannelPlan.mixes(input.format.layout.mask, into: encoding.format.layout.mask) }

    // MARK: Parts

    /// DVD PCM with more than 16 bits is coded in units of two samples. If packets cut such a unit in two, a packet
    /// does not reveal where its first unit begins, and decoding from there may produce noise.
    private static func checkUnits(
        of packets: [Packet],
        _ frame: AudioDecoder.Frame,
        _ codec: CodecID
    ) throws(PackagingError) {
        guard codec.rawValue == "pcm_dvd", frame.significantBits > 16 else { return }
        let unit = frame.format.layout.count * frame.significantBits / 4
        let header = 3
        guard packets.dropLast().contains(where: { ($0.byteCount - header) % unit != 0 }) else { return }
        throw PackagingError(.unsupportedFeature, "its packets split units of samples")
    }

    private static func settings(
        for frame: AudioDecoder.Frame,
        _ target: AudioTarget,
        maximumChannels: Int
    ) -> AudioEncoder.Settings {
        let limit = max(1, min(maximumChannels, target.maximumChannels))
        let choice = ChannelPlan.choose(for: frame.format.layout.mask, among: target.layouts, atMost: limit)
        let layout = ChannelLayout(mask: choice.target)
        let isDeep = target.isLosslessSource && frame.format.samples.isDeep && frame.significantBits != 16
        return AudioEncoder.Settings(
            codec: target.codec,
            format: AudioFormat(
                samples: target.isLossless ? isDeep ? .int32 : .int16 : .planarFloat,
                rate: target.rate(for: frame.format.rate),
                layout: layout
            ),
            bitRate: target.bitRate(channels: layout.count),
            bitDepth: target.isLossless ? isDeep ? 24 : 16 : 0
        )
    }

    /// The first packets that the encoder makes from up to three frames of silence. They show what the container must
    /// state about the encoder's frames.
    private static func silentFrames(
        _ encoder: inout AudioEncoder,
        _ format: AudioFormat
    ) throws(FFmpegError) -> [Packet] {
        let plane = [UInt8](repeating: 0, count: encoder.frameLength * format.stride)
        let block = SampleBlock(planes: Array(repeating: plane, count: format.planeCount), count: encoder.frameLength)
        var packets: [Packet] = []
        for _ in 0..<3 where packets.isEmpty { packets += try encoder.encode(block) }
        return packets
    }

    private static func setup(
        _ target: AudioTarget,
        _ encoder: AudioEncoder.Settings,
        _ extradata: [UInt8],
        _ packets: [Packet],
        _ description: StreamDescription
    ) throws(PackagingError) -> TrackSetup {
        var audio = AudioProperties()
        audio.sampleRate = encoder.format.rate
        audio.channels = encoder.format.layout.count
        audio.channelLayout = encoder.format.layout.name
        audio.bitDepth = encoder.bitDepth
        return try TrackSetup.resolve(
            codec: target.codec,
            timescale: UInt32(clamping: encoder.format.rate),
            extradata: extradata,
            firstPackets: target.codec == .aac ? [] : packets.map(\.bytes),
            video: nil,
            audio: audio,
            language: description.language
        )
    }

    /// The audio properties of a track. Properties that a decoder found take precedence over those that the container
    /// declares.
    private static func properties(
        of frame: AudioDecoder.Frame,
        _ declared: AudioProperties,
        isLossless: Bool
    ) -> AudioProperties {
        var audio = declared
        audio.sampleRate = frame.format.rate
        audio.channels = frame.format.layout.count
        audio.channelLayout = frame.format.layout.name
        if isLossless, frame.significantBits > 0 { audio.bitDepth = frame.significantBits }
        return audio
    }
}
