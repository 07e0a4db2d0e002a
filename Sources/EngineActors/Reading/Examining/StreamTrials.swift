// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// A stream that is to be played, with its first packets.
struct PlayedStream {
    let info: StreamInfo
    fileprivate(set) var description: StreamDescription
    /// In file order. Video starts at a keyframe.
    let packets: [Packet]
    /// Whether the packets have no times and are counted.
    let isCounted: Bool

    /// Ticks per second of the track made from the stream.
    ///
    /// - Parameter rate: samples per second of audio; `nil` when unknown.
    func timescale(rate: Int?) -> UInt32 {
        if info.kind == .audio { return UInt32(clamping: max(1, rate ?? 48_000)) }
        let base = info.timeBase
        return base.numerator == 1 && base.denominator <= 1_000_000 ? UInt32(clamping: base.denominator) : 90_000
    }
}

extension PlayedStream {
    /// The number of packets that are decoded to find the format of audio.
    private static let measuredPackets = 16

    /// The stream with the format of its audio, which the description lacks if the stream's first packet came late.
    ///
    /// - Throws: `missingConfiguration` if there is no packet, `unsupportedCodec` if none can be decoded.
    func measured(by trials: any StreamTrials) throws(PackagingError) -> PlayedStream {
        guard info.kind == .audio, let audio = description.audio, audio.sampleRate == 0 else { return self }
        let what = "\(info.codec.rawValue) stream \(info.index)"
        guard !packets.isEmpty else {
            throw PackagingError(.missingConfiguration, "the source begins without a packet of the \(what)")
        }
        guard let format = try trials.format(of: self, Array(packets.prefix(Self.measuredPackets))) else {
            throw PackagingError(.unsupportedCodec, "the first packets of the \(what) cannot be decoded")
        }
        var stream = self
        stream.description.audio?.sampleRate = format.rate
        stream.description.audio?.channels = format.layout.count
        stream.description.audio?.channelLayout = format.layout.name
        return stream
    }
}

/// Decodes the first packets of streams, for properties that headers do not state. Except for `speed`, calls throw
/// `unsupportedCodec` if the stream cannot be decoded at all.
protocol StreamTrials {
    /// The format of the first audio that is decoded from `packets`; `nil` when they yield none.
    func format(of stream: PlayedStream, _ packets: [Packet]) throws(PackagingError) -> AudioFormat?
    /// The first frame of a video; `nil` when its packets yield none.
    func frame(of stream: PlayedStream) throws(PackagingError) -> FirstFrameFacts?
    /// Whether the frames of a video are interlaced, regardless of what the stream declares.
    func fields(of stream: PlayedStream) throws(PackagingError) -> FieldWatch.Verdict
    /// Tries to decode the stream's packets and to encode them again.
    ///
    /// - Parameter sound: how the audio is changed; `nil`: not at all.
    func bridge(
        _ stream: PlayedStream,
        to target: AudioTarget,
        maximumChannels: Int,
        sound: SoundChain?
    ) throws(PackagingError) -> BridgeDraft
    /// Tries to decode the video's packets and to encode its frames, once for each of `rungs`.
    ///
    /// - Parameters:
    ///   - setup: the setup for the source's own packets.
    ///   - codec: the codec to encode to.
    ///   - usesDevice: whether devices are tried first.
    ///   - limit: the maximum size of the video that the session plays.
    ///   - rungs: the rungs of a ladder; `nil` stands for the video that the session plays.
    func videoBridges(
        _ stream: PlayedStream,
        _ setup: TrackSetup,
        to codec: EncodedCodec,
        usesDevice: Bool,
        _ limit: BridgeSize,
        _ rungs: [VideoLadder.Rung?]
    ) throws(PackagingError) -> [VideoBridgeDraft]
    /// How many frames per second of a video the machine encodes; `nil` if that could not be measured.
    func speed(of bridge: VideoBridgeDraft, _ stream: PlayedStream, in container: ContainerFormat) -> Double?
}

/// The properties that the first decoded frame of a video states.
struct FirstFrameFacts: Hashable {
    /// In pixels, with the padding of the last blocks.
    let width: Int
    let height: Int
    let isInterlaced: Bool
    let isTopFieldFirst: Bool
}

/// Trials with the decoders of libavcodec.
struct DecoderTrials: StreamTrials {
    /// Provides the codec parameters of the streams.
    let reader: SourceReader

    func format(of stream: PlayedStream, _ packets: [Packet]) throws(PackagingError) -> AudioFormat? {
        let parameters = try parameters(of: stream)
        do throws(FFmpegError) {
            return try DecodingTrial(packets, times: packets.map { $0.pts ?? $0.dts }, parameters).frame?.format
        } catch {
            throw PackagingError(.unsupportedCodec, "\(error)")
        }
    }

    func frame(of stream: PlayedStream) throws(PackagingError) -> FirstFrameFacts? {
        var found: FirstFrameFacts?
        try decode(stream) { frame in
            found = FirstFrameFacts(
                width: frame.width,
                height: frame.height,
                isInterlaced: frame.isInterlaced,
                isTopFieldFirst: frame.isTopFieldFirst
            )
            return false
        }
        return found
    }

    func fields(of stream: PlayedStream) throws(PackagingError) -> FieldWatch.Verdict {
        var watch = FieldWatch()
        try decode(stream) { frame in
            watch.note(isInterlaced: frame.isInterlaced)
            return watch.verdict == .undecided
        }
        return watch.finish()
    }

    func bridge(
        _ stream: PlayedStream,
        to target: AudioTarget,
        maximumChannels: Int,
        sound: SoundChain?
    ) throws(PackagingError) -> BridgeDraft {
        try BridgeDraft.make(
            target,
            of: stream.info,
            stream.description,
            parameters(of: stream),
            packets: stream.packets,
            isCounted: stream.isCounted,
            maximumChannels: maximumChannels,
            sound: sound
        )
    }

    func videoBridges(
        _ stream: PlayedStream,
        _ setup: TrackSetup,
        to codec: EncodedCodec,
        usesDevice: Bool,
        _ limit: BridgeSize,
        _ rungs: [VideoLadder.Rung?]
    ) throws(PackagingError) -> [VideoBridgeDraft] {
        var first: VideoFrame?
        try decode(stream) { frame in
            first = frame
            return false
        }
        guard let first else {
            let text = "no frame could be decoded from \(stream.packets.count) \(stream.info.codec.rawValue) packets"
            throw PackagingError(.unsupportedCodec, text)
        }
        let parameters = try parameters(of: stream)
        return try rungs.map { rung throws(PackagingError) in
            try VideoBridgeDraft.make(
                of: first,
                to: codec,
                usesDevice: usesDevice,
                setup,
                stream.info.codec,
                stream.packets,
                parameters,
                limit,
                rung
            )
        }
    }

    func speed(of bridge: VideoBridgeDraft, _ stream: PlayedStream, in container: ContainerFormat) -> Double? {
        do throws(FFmpegError) {
            return try bridge.speed(on: stream.packets, in: container)
        } catch {
            // Segments fail with the same error, which is reported where players request them.
            return nil
        }
    }

    private func parameters(of stream: PlayedStream) throws(PackagingError) -> CodecParameters {
        do throws(FFmpegError) {
            return try reader.codecParameters(of: stream.info.index)
        } catch {
            throw PackagingError(.unsupportedCodec, "\(error)")
        }
    }

    /// - Parameter take: receives the frames in presentation order; returning `false` stops decoding.
    private func decode(_ stream: PlayedStream, _ take: (VideoFrame) -> Bool) throws(PackagingError) {
        let parameters = try parameters(of: stream)
        var decoder: VideoDecoder
        do throws(FFmpegError) {
            decoder = try VideoDecoder.open(parameters, threading: .slices)
        } catch {
            throw PackagingError(.unsupportedCodec, "\(error)")
        }
        for packet in stream.packets {
            do throws(FFmpegError) {
                // A tag makes the decoder return frames that an edit list hides: they suffice for a trial.
                try decoder.send(packet.tagged(packet.pts ?? packet.dts ?? 0))
            } catch {
                // A packet that cannot be decoded yields no frame; later ones may.
            }
            while let frame = Self.next(&decoder) {
                guard take(frame) else { return }
            }
        }
        do throws(FFmpegError) {
            try decoder.drain()
        } catch {
            return
        }
        while let frame = Self.next(&decoder) {
            guard take(frame) else { return }
        }
    }

    private static func next(_ decoder: inout VideoDecoder) -> VideoFrame? {
        do throws(FFmpegError) {
            if case .frame(let frame) = try decoder.receive() { return frame }
        } catch {
            // Treated like a packet that cannot be decoded.
        }
        return nil
    }
}
