// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// A stream that becomes a track, as its first packets describe it. Its position on the timeline is not known yet.
struct TrackDraft {
    let info: StreamInfo
    /// With the route, and what the player receives.
    let description: StreamDescription
    let setup: TrackSetup
    /// The parameters for decoding and re-encoding the stream; `nil` if it is not re-encoded.
    let bridge: BridgeDraft?
    /// The same for video.
    var videoBridge: VideoBridgeDraft?
}

/// Determines how one stream is packed, or that only the software path can play it.
struct StreamExaminer {
    /// The handling of the stream, and the notices about it.
    struct Verdict {
        /// The failure explains why the stream cannot be played at all.
        let draft: Result<TrackDraft, PackagingError>
        let notices: [Notice]
    }

    private static let packed = Tag("packed_bitstream", "yes")
    /// The number of packets of a remuxed audio stream that are decoded to find its channel layout.
    private static let decodedPackets = 4
    /// The number of packets that are searched for configuration.
    private static let configuringPackets = 8
    /// The same for codecs whose packets may carry audio objects.
    private static let carryingPackets = 64

    let stream: PlayedStream
    let options: LoadOptions
    let trials: any StreamTrials

    private var info: StreamInfo { stream.info }
    /// How the stream's audio is changed before it is served.
    private var sound: SoundChain? { options.soundChain(of: info.index) }
    private var codec: String { stream.description.codec.rawValue }

    /// - Parameter layer: the Dolby Vision enhancement layer in a second video track, if any.
    func verdict(_ way: StreamChoice.Way, layer: SecondLayer?) -> Verdict {
        switch way {
        case .software(let reason):
            let draft = Result { () throws(PackagingError) in try decoded(because: reason) }
            return Verdict(draft: draft, notices: [])
        case .ladder(let rungs): return firstWorkingRung(rungs)
        case .remuxed:
            let draft = Result { () throws(PackagingError) in try remuxedVideo(beside: layer) }
            return Verdict(draft: servedOrDecoded(draft), notices: [])
        }
    }

    /// A stream that cannot be served may still be decodable.
    private func servedOrDecoded(_ served: Result<TrackDraft, PackagingError>) -> Result<TrackDraft, PackagingError> {
        guard case .failure(let error) = served else { return served }
        do throws(PackagingError) {
            return .success(try decoded(because: error.description))
        } catch {
            return served
        }
    }

    /// Whether the first packets reveal the configuration that a player needs to receive the stream unchanged.
    var isRemuxable: Bool {
        do throws(PackagingError) {
            _ = try setup()
            return true
        } catch {
            return false
        }
    }

    private func setup() throws(PackagingError) -> TrackSetup {
        let count = ObjectAudio.carriers.contains(info.codec) ? Self.carryingPackets : Self.configuringPackets
        return try TrackSetup.resolve(
            codec: info.codec,
            timescale: stream.timescale(rate: stream.description.audio?.sampleRate),
            extradata: info.extradata,
            firstPackets: stream.packets.prefix(count).map(\.bytes),
            video: stream.description.video,
            audio: stream.description.audio,
            language: stream.description.language
        )
    }

    private func remuxedVideo(beside layer: SecondLayer?) throws(PackagingError) -> TrackDraft {
        var setup = try setup()
        setup.findSecondLayer(
            in: stream.packets.map(\.bytes),
            declared: stream.description.video?.dolbyVision,
            beside: layer
        )
        return TrackDraft(info: info, description: stream.description, setup: setup, bridge: nil)
    }

    // MARK: Audio

    /// Takes the first rung that works. If none does, the software path may still decode the stream.
    private func firstWorkingRung(_ ladder: [AudioMatrix.Rung]) -> Verdict {
        var failure = PackagingError(.unsupportedCodec, "\(info.codec.rawValue) cannot be served")
        var notices: [Notice] = []
        for (number, rung) in ladder.enumerated() {
            do throws(PackagingError) {
                let draft = try draft(on: rung)
                if let bridge = draft.bridge {
                    notices += BridgeNotices.about(bridge, of: draft.description)
                } else if sound != nil {
                    notices.append(BridgeNotices.untreated(draft.description, because: "it can only be remuxed"))
                }
                return Verdict(draft: .success(draft), notices: notices)
            } catch {
                failure = error
                guard number + 1 < ladder.count else { continue }
                notices.append(BridgeNotices.about(rung, of: stream.description, refusedBy: error))
            }
        }
        return Verdict(draft: servedOrDecoded(.failure(failure)), notices: notices)
    }

    private func draft(on rung: AudioMatrix.Rung) throws(PackagingError) -> TrackDraft {
        switch rung {
        case .remux(_, let reason): try remuxed(because: reason)
        case .bridge(let target, let reason): try bridged(to: target, because: reason)
        }
    }

    private func remuxed(because reason: String) throws(PackagingError) -> TrackDraft {
        var setup = try setup()
        if let name = decodedLayout(channels: setup.track.audio?.channels) { setup.track.audio?.channelLayout = name }
        let format = AudioMatrix.profileFormat(of: setup.codecString)
        let channels = setup.track.audio?.channels ?? 0
        guard options.profile.formats.contains(format), channels <= options.profile.maximumChannels else {
            throw PackagingError(.unsupportedFeature, "\(options.profile.label) does not play \(setup.codecString)")
        }
        var description = stream.description
        description.route = .remux(reason)
        var delivery = Delivery(
            codec: info.codec,
            sampleEntry: format.hasPrefix("mp4a") ? "mp4a" : format,
            codecString: setup.codecString
        )
        delivery.audio = setup.track.audio
        description.delivery = delivery
        return TrackDraft(info: info, description: description, setup: setup, bridge: nil)
    }

    /// The channel layout that a decoder finds, because the container may state only the number of channels. `nil` when
    /// it finds another number of channels, or no audio.
    private func decodedLayout(channels: Int?) -> String? {
        do throws(PackagingError) {
            let format = try trials.format(of: stream, Array(stream.packets.prefix(Self.decodedPackets)))
            return format.flatMap { $0.layout.count == channels ? $0.layout.name : nil }
        } catch {
            // A stream that is remuxed needs no decoder.
            return nil
        }
    }

    private func bridged(to target: AudioTarget, because reason: String) throws(PackagingError) -> TrackDraft {
        let draft = try trials.bridge(
            stream,
            to: target,
            maximumChannels: options.profile.maximumChannels,
            sound: sound
        )
        var description = stream.description
        description.audio = draft.found
        description.audio?.objects = stream.description.audio?.objects
        description.route = .bridge(reason)
        var delivery = Delivery(
            codec: target.codec,
            sampleEntry: target.sampleEntry,
            codecString: draft.setup.codecString
        )
        delivery.audio = draft.setup.track.audio
        description.delivery = delivery
        return TrackDraft(info: info, description: description, setup: draft.setup, bridge: draft)
    }

    // MARK: Decoding

    /// The draft of a stream that the software path decodes. Such a stream is planned like any other but has no
    /// segments.
    ///
    /// - Parameter reason: why the stream cannot be served.
    /// - Throws: `unsupportedCodec` when none of the packets can be decoded.
    private func decoded(because reason: String) throws(PackagingError) -> TrackDraft {
        var description = stream.description
        description.route = .software(reason)
        if info.kind == .audio {
            description.audio = try decodedAudio()
        } else {
            description.video = try decodedVideo()
            if info.codec == .mpeg4, hasPackedPictures {
                description.tags.append(Self.packed)
                description.route = .software("MPEG-4 Part 2 with several pictures per packet (packed bitstream)")
            }
        }
        var track = Track(codec: info.codec, timescale: stream.timescale(rate: description.audio?.sampleRate))
        track.language = description.language
        track.video = description.video
        track.audio = description.audio
        let setup = TrackSetup(track: track, transform: .unchanged)
        return TrackDraft(info: info, description: description, setup: setup, bridge: nil)
    }

    private func decodedAudio() throws(PackagingError) -> AudioProperties {
        guard let format = try trials.format(of: stream, stream.packets) else {
            let text = "no audio could be decoded from \(stream.packets.count) \(codec) packets"
            throw PackagingError(.unsupportedCodec, text)
        }
        var audio = stream.description.audio ?? AudioProperties()
        audio.sampleRate = format.rate
        audio.channels = format.layout.count
        audio.channelLayout = format.layout.name
        return audio
    }

    private func decodedVideo() throws(PackagingError) -> VideoProperties {
        guard let frame = try trials.frame(of: stream) else {
            let text = "no frame could be decoded from \(stream.packets.count) \(codec) packets"
            throw PackagingError(.unsupportedCodec, text)
        }
        var video = stream.description.video ?? VideoProperties()
        // The container's size excludes the padding of the last blocks, so the decoder's size is used only if the
        // container states none.
        if video.width <= 0 || video.height <= 0 { (video.width, video.height) = (frame.width, frame.height) }
        if frame.isInterlaced {
            video.isInterlaced = true
            video.isTopFieldFirst = frame.isTopFieldFirst
        }
        var captions = CaptionSurvey(codec: info.codec, extradata: info.extradata)
        for packet in stream.packets { packet.withBytes { captions.note(picture: $0) } }
        if !captions.channels.isEmpty {
            video.hasClosedCaptions = true
            video.captionChannels = captions.channels.sorted()
        }
        return video
    }

    /// Whether packets of MPEG-4 Part 2 video hold several pictures (packed bitstream).
    private var hasPackedPictures: Bool {
        MPEG4Visual.isPacked(info.extradata.span)
            || stream.packets.contains { packet in packet.withBytes { MPEG4Visual.isPacked($0) } }
    }
}
