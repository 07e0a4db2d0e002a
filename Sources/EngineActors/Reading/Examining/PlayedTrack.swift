// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineModel
package import Packaging

/// A stream that is played, with all parameters for making its segments. The same for all demuxers of a source.
package struct PlayedTrack: Sendable {
    package enum Kind: Hashable, Sendable { case video, audio }

    /// The source of presentation times for the track's packets.
    package enum Timing: Hashable, Sendable {
        /// The container states them.
        case presentation
        /// The container states decode times, but not all presentation times (AVI, for example). The pictures' headers
        /// determine their order, if they state it.
        case decodeOrder
        /// The container does not state times of all packets: frames are counted from the boundary (elementary
        /// streams).
        case counted
    }

    /// In a version for video of another codec: the stream of that video (`ListedVideo.stream`).
    package private(set) var stream: StreamInfo
    package let kind: Kind
    /// Whether the track has segments. A track without segments is still planned; the software path decodes it.
    package let isServed: Bool
    package let timing: Timing
    package private(set) var track: Track
    /// The conversion of the source's packets to samples.
    package private(set) var transform: SampleTransform
    /// `OpenedSource.origin` in ticks of the stream.
    package let origin: Int64
    /// Ticks of the track that lie before 0 on the timeline.
    package private(set) var lead: Int64
    /// The number of ticks of the track by which decoding precedes presentation. 0 for audio.
    package private(set) var delay: Int64
    /// Length of a frame in ticks of the stream. Used when frames are counted or the last one needs a duration.
    package private(set) var nominalDuration: Int64
    package private(set) var grid: AudioGrid
    /// The parameters for decoding and re-encoding the track; `nil` if it is remuxed.
    package private(set) var bridge: BridgePlan?
    /// The same for video.
    package private(set) var videoBridge: VideoBridgePlan?
    package let language: String
    package let name: String
    package let isDefault: Bool
    /// Bits per second, according to the container. 0 if it does not state them.
    package let bitRate: UInt64
    /// The stream that holds the Dolby Vision metadata for this stream's pictures, if that is a separate one.
    package private(set) var companion: StreamInfo?
    /// `Packet.format` of the packets for which this version of the track is made. 0: the format with which the source
    /// was opened.
    package private(set) var format = 0
    /// Bits per second that the track has in every segment at least, as far as that is known.
    package var leastBitRate = 0.0

    /// The `format` of a version that serves no packets.
    package static let silence = -2

    /// Whether the track is decoded and re-encoded.
    package var isBridged: Bool { bridge != nil || videoBridge != nil }

    /// Whether the track is video that is served without being re-encoded.
    var isRemuxedVideo: Bool { kind == .video && isServed && videoBridge == nil }

    /// The streams of the source that are read for this track.
    package var streamIndexes: [Int] { [stream.index] + (companion.map { [$0.index] } ?? []) }

    /// Converts ticks of the stream to ticks of the track on the session's timeline.
    package func timelineTicks(_ time: Int64) -> Int64 {
        kind == .audio && bridge == nil
            ? grid.samples(at: time) : stream.timeBase.rescale(time &- origin, to: track.timeBase)
    }
}

extension PlayedTrack {
    /// - Parameters:
    ///   - placement: made from the same draft.
    ///   - companion: as in the property; ignored for bridged video, and if the container states no presentation times.
    init(_ draft: TrackDraft, _ placement: TrackPlacement, companion: StreamInfo?, in container: ContainerFormat) {
        stream = draft.info
        kind = draft.info.kind == .audio ? .audio : .video
        isServed = draft.description.route.isServed
        timing = placement.timing
        track = placement.track
        transform = draft.videoBridge?.sourceTransform ?? draft.setup.transform
        origin = placement.origin
        lead = placement.lead
        delay = placement.delay
        nominalDuration = placement.nominalDuration
        grid = placement.grid
        bridge = placement.bridge
        videoBridge = draft.videoBridge?.plan(
            statesTimes: placement.timing == .presentation,
            in: container
        )
        language = draft.description.language
        name = draft.description.title
        isDefault = draft.description.has(disposition: "default")
        bitRate = draft.description.bitRate
        leastBitRate = placement.leastBitRate
        self.companion = placement.timing == .presentation && draft.videoBridge == nil ? companion : nil
    }
}

extension PlayedTrack {
    /// The end of a packet, in ticks of the track on the timeline.
    ///
    /// - Parameters:
    ///   - time: where the packet starts, in ticks of the stream.
    ///   - duration: according to the container, in ticks of the stream; 0 if it does not state one.
    func end(ofPacketAt time: Int64, lasting duration: Int64) -> Int64 {
        if let frame = frameLength(lasting: duration) { return timelineTicks(time) + frame }
        return timelineTicks(endTime(ofPacketAt: time, lasting: duration))
    }

    /// The same track with the least bit rate that the sample table of an MP4 file shows. No effect on video.
    func measured(by plan: SegmentPlan, in context: borrowing FormatContext) -> PlayedTrack {
        guard kind == .audio else { return self }
        var track = self
        let base = stream.timeBase
        track.leastBitRate = plan.leastBitRate(
            of: context.indexEntries(of: stream.index).lazy
                .map { (base.rescale($0.timestamp, to: plan.timeBase), $0.byteCount) }
        )
        return track
    }

    /// The length of a frame of remuxed audio, in ticks of the track; `nil` without a constant frame length. The last
    /// frame may be heard only in part.
    ///
    /// - Parameter duration: according to the container, in ticks of the stream; 0 if it does not state one.
    package func frameLength(lasting duration: Int64) -> Int64? {
        guard kind == .audio, bridge == nil else { return nil }
        return grid.length(ofFrameShorterBy: duration > 0 ? nominalDuration - duration : 0)
    }

    /// The end of a packet, in ticks of the stream.
    func endTime(ofPacketAt time: Int64, lasting duration: Int64) -> Int64 {
        if duration > 0 { return time &+ duration }
        let frame =
            kind == .audio && bridge == nil
            ? grid.frameLength.map { track.timeBase.rescale($0, to: stream.timeBase) } : nil
        return time &+ max(frame ?? 0, nominalDuration)
    }
}

extension PlayedTrack {
    /// The keyframes without those whose pictures all precede the timeline, i.e. those before the last keyframe at or
    /// before its start.
    ///
    /// - Parameter keyframes: in presentation order.
    func withoutHiddenStart(_ keyframes: [Keyframe]) -> [Keyframe] {
        guard kind == .video, let start = keyframes.lastIndex(where: { $0.time <= origin }) else { return keyframes }
        return Array(keyframes[start...])
    }

    /// The same track after a change of its configuration, on the same timeline. Values that the new configuration does
    /// not specify stay as they were.
    ///
    /// - Parameter privateData: as in `ConfigurationChange`.
    func changed(to privateData: [UInt8]) throws(PackagingError) -> PlayedTrack {
        var video = VideoProperties()
        video.frameRate = track.video?.frameRate
        let setup = try TrackSetup.resolve(
            codec: stream.codec,
            timescale: track.timescale,
            extradata: privateData,
            firstPackets: [],
            video: video,
            audio: nil,
            language: track.language
        )
        var result = self
        result.track.configuration = setup.track.configuration
        result.track.codecString = setup.track.codecString
        if let found = setup.track.video {
            let isSameSize = found.width == track.video?.width && found.height == track.video?.height
            if !isSameSize { result.track.video?.cropping = Cropping() }
            result.track.video?.width = found.width
            result.track.video?.height = found.height
            result.track.video?.sampleAspectRatio = found.sampleAspectRatio
            result.track.video?.bitDepth = found.bitDepth
            if found.color.isSpecified { result.track.video?.color = found.color }
        }
        // A configuration record states how packets are framed; start codes in private data say nothing about the
        // packets.
        if case .nalUnits(.lengthPrefixed) = setup.transform { result.transform = setup.transform }
        let frame = max(1, stream.timeBase.rescale(nominalDuration, to: track.timeBase, rounding: .up))
        let needed = setup.reorderDepth > 0 ? Int64(setup.reorderDepth + 1) * frame : 0
        result.delay = max(delay, needed)
        result.track.mediaTimeOffset += result.delay - delay
        return result
    }

    /// The same video track as a version for video of another codec, on the same timeline. Call this on the track with
    /// which the source was opened.
    ///
    /// - Parameters:
    ///   - setup: the setup of the other video, with the sample entry of the player's route.
    ///   - video: the other video.
    func changed(to setup: TrackSetup, _ video: ListedVideo, in container: ContainerFormat) -> PlayedTrack {
        var setup = setup
        setup.track.timescale = track.timescale
        setup.track.language = track.language
        let draft = TrackDraft(info: video.stream, description: video.description, setup: setup, bridge: nil)
        // The packets are on another clock. Only their order and their spacing count.
        let first = video.packets.compactMap { $0.pts ?? $0.dts }.min() ?? 0
        let placement = TrackPlacement(
            draft,
            video.packets,
            in: container,
            origin: TimelineOrigin(MediaTime(first, in: video.stream.timeBase)),
            startsMidTimeline: true
        )
        var result = decoding(video)
        result.track = placement.track
        result.track.video?.frameRate = placement.track.video?.frameRate ?? track.video?.frameRate
        result.transform = setup.transform
        result.nominalDuration = placement.nominalDuration
        result.delay = max(delay, placement.delay)
        result.track.mediaTimeOffset = track.mediaTimeOffset + result.delay - delay
        return result
    }

    /// The same video track with packets of another codec. What is served does not change: if the track is bridged, its
    /// bridge decodes these packets instead.
    func decoding(_ video: ListedVideo) -> PlayedTrack {
        var result = self
        result.stream = video.stream
        result.format = video.number
        result.companion = nil
        // Packets that cannot be packed are only decoded.
        result.transform = .unchanged
        if case .success(let setup) = video.setup { result.transform = setup.transform }
        result.videoBridge = videoBridge?.decoding(video.input, as: video.properties)
        return result
    }

    /// The same audio track with another format, on the same timeline. Unchanged if its configuration, timescale and
    /// codec stay the same.
    func changed(to audio: ListedAudio) throws(PackagingError) -> PlayedTrack {
        let rate = audio.properties?.sampleRate ?? 0
        let setup = try TrackSetup.resolve(
            codec: audio.codec,
            timescale: rate > 0 ? UInt32(clamping: rate) : track.timescale,
            extradata: audio.extradata,
            firstPackets: audio.sample?.packets.map(\.bytes) ?? [audio.frame],
            video: nil,
            audio: audio.properties,
            language: track.language
        )
        guard
            setup.track.configuration != track.configuration || setup.track.timescale != track.timescale
                || setup.track.codec != track.codec
        else { return self }
        var result = changed(to: setup, audio)
        result.grid = AudioGrid(
            source: stream.timeBase,
            sampleRate: Int64(setup.track.timescale),
            origin: origin,
            firstTime: audio.time,
            frameLength: setup.ticksPerFrame.map(Int64.init),
            isBounded: false
        )
        return result
    }

    /// The same audio track, on the same timeline, as it is served while audio of another format is bridged.
    ///
    /// - Throws: `unsupportedCodec` if the first frames of that audio are not known, or it cannot be decoded and
    ///   encoded.
    func bridged(
        to target: AudioTarget,
        _ audio: ListedAudio,
        maximumChannels: Int
    ) throws(PackagingError) -> PlayedTrack {
        guard let sample = audio.sample else {
            throw PackagingError(.unsupportedCodec, "the first frames of the \(audio.codec.rawValue) are not known")
        }
        let draft = try BridgeDraft.make(
            target,
            of: sample.info,
            sample.description,
            sample.parameters,
            packets: sample.packets,
            isCounted: false,
            maximumChannels: maximumChannels,
            sound: nil
        )
        var plan = draft.plan(origin: origin, first: audio.time)
        plan.format = audio.number
        var result = changed(to: draft.setup, audio)
        result.grid = AudioGrid(
            source: stream.timeBase,
            sampleRate: Int64(draft.setup.track.timescale),
            origin: origin,
            firstTime: max(origin, plan.firstTime),
            frameLength: plan.frameLength,
            isBounded: false
        )
        result.nominalDuration = plan.input.packetTicks
        result.bridge = plan
        return result
    }

    /// The same audio track with the configuration of another format, without a grid for it.
    private func changed(to setup: TrackSetup, _ audio: ListedAudio) -> PlayedTrack {
        var result = self
        result.format = audio.number
        result.track.codec = setup.track.codec
        result.track.timescale = setup.track.timescale
        result.track.configuration = setup.track.configuration
        result.track.codecString = setup.track.codecString
        result.track.audio = setup.track.audio
        result.transform = setup.transform
        result.lead = track.timeBase.rescale(lead, to: setup.track.timeBase)
        result.track.mediaTimeOffset = result.lead
        return result
    }

    /// The same track as a version that serves no packets.
    var silenced: PlayedTrack {
        var result = self
        result.format = Self.silence
        return result
    }

    /// Makes the bridge of the track collect what decoding audio of another format requires.
    mutating func reach(_ audio: ListedAudio) {
        if let input = input(for: audio), let preroll = bridge?.preroll {
            bridge?.preroll = max(preroll, input.preroll)
        }
    }

    /// The bridge of the track as it decodes packets of another format. `nil` if the track has no bridge, or the format
    /// cannot be decoded.
    func input(for audio: ListedAudio) -> BridgePlan? {
        guard let bridge, let sample = audio.sample, let frame = sample.trial?.frame else { return nil }
        let isSame =
            audio.codec == stream.codec && audio.extradata == stream.extradata && frame.format == bridge.input.format
            && sample.trial?.frameLength == bridge.placement.grid?.length
        return isSame ? bridge : bridge.decoding(sample, from: audio.time, format: audio.number)
    }

    /// The same track, with `lead` and `delay` at least as long as those of another one, so that players can switch
    /// between them.
    func aligned(with other: PlayedTrack) -> PlayedTrack {
        var result = self
        result.lead = max(lead, other.track.timeBase.rescale(other.lead, to: track.timeBase))
        result.delay = max(delay, other.track.timeBase.rescale(other.delay, to: track.timeBase))
        result.track.mediaTimeOffset += result.lead - lead + result.delay - delay
        return result
    }

    /// Whether a change to this configuration can be planned: whether the data can be parsed.
    func canChange(to privateData: [UInt8]) -> Bool {
        do throws(PackagingError) {
            _ = try changed(to: privateData)
            return true
        } catch {
            return false
        }
    }

    /// The start of a segment in this track, in ticks of this track: the boundary itself in the leading track, unless
    /// that is bridged audio; otherwise the first frame that starts at or after the boundary.
    ///
    /// - Parameter time: the boundary, in ticks of the leading stream.
    package func edge(at time: Int64, cutBy lead: PlayedTrack) -> Int64 {
        let isLead = stream.index == lead.stream.index
        if isLead, bridge == nil { return timelineTicks(time) }
        let sample = lead.stream.timeBase.rescale(time &- lead.origin, to: track.timeBase, rounding: .up)
        return grid.frameStart(atOrAfter: BridgePlan.bounded(sample))
    }
}
