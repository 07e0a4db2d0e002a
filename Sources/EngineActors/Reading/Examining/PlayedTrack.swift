// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
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

    package let stream: StreamInfo
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
    package let videoBridge: VideoBridgePlan?
    package let language: String
    package let name: String
    package let isDefault: Bool
    /// Bits per second, according to the container. 0 if it does not state them.
    package let bitRate: UInt64
    /// The stream that holds the Dolby Vision metadata for this stream's pictures, if that is a separate one.
    package let companion: StreamInfo?
    /// `Packet.format` of the packets for which this version of the track is made.
    package private(set) var format = 0

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
        if kind == .audio, bridge == nil, let frame = grid.frameLength { return timelineTicks(time) + frame }
        return timelineTicks(endTime(ofPacketAt: time, lasting: duration))
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

/// A source that was opened for playback: its description, its playable tracks, and everything needed to read it.
package struct OpenedSource: Sendable {
    package let file: any ByteSource
    /// The layout of the media in the bytes of `file`.
    var layout: any SourceLayout = SingleContainer()
    package let container: ContainerFormat
    /// The first reader's findings about edit lists, which later readers reuse.
    package let edits: FormatContext.Edits
    package let media: MediaDescription
    /// All tracks that can be played, the leading track first: the video, or the first audio track if there is none.
    package internal(set) var tracks: [PlayedTrack]
    package let origin: TimelineOrigin
    /// The plan, if a trusted index of the container, the map of a disc or a playlist provides one.
    package let indexPlan: SegmentPlan?
    /// Extends `indexPlan`, if that is the beginning of the plan of a title on a server.
    var units: UnitPlan?
    /// The end of each track on the timeline, if the container's end could be read.
    package internal(set) var trackEnds: [MediaTime?]
    /// Notices for the user, such as why an index was not trusted.
    package internal(set) var notices: [Notice]
    /// The smaller sizes of the video that players may switch to, in descending order.
    package var ladder: [LadderRung] = []
    package var interleaving = Interleaving.stored
    /// See `LoadOptions.soundLevels`.
    package var soundLevels: [Int: Double]?
    /// See `LoadOptions.videoBridgeLines`. `nil` if no video is bridged.
    package var videoBridgeLines: Int?
    /// How the audio tracks are served in the formats in which a list continues.
    var audioVersions = AudioVersions()

    package var lead: PlayedTrack { tracks[0] }

    /// Whether the pictures that are served lack the captions of the source's pictures.
    package var losesCaptions: Bool { lead.videoBridge?.carriesCaptions == false }

    /// Whether only the software path can play the source, because its leading track has no segments.
    package var needsSoftware: Bool { !lead.isServed }

    /// A track in one version of its configuration.
    package func track(_ place: Int, version: Int, of plan: SegmentPlan) -> PlayedTrack {
        if tracks[place].kind == .audio { return audioTrack(place, version: version) }
        guard place == 0, version != firstVersion, tracks[0].videoBridge == nil,
            let data = privateData(version: version, of: plan),
            data != tracks[0].stream.extradata
        else { return tracks[place] }
        do throws(PackagingError) {
            return try tracks[0].changed(to: data)
        } catch {
            // A change is planned only if it can be parsed (`canChange`).
            return tracks[0]
        }
    }

    /// Whether the configuration of a track can change: it can for video and, in a list, for audio that is remuxed.
    package func hasVersions(_ place: Int) -> Bool {
        if tracks[place].kind == .video { return place == 0 }
        return layout.segments != nil && tracks[place].bridge == nil && tracks[place].isServed
    }

    private func audioTrack(_ place: Int, version: Int) -> PlayedTrack {
        let stream = tracks[place].stream.index
        guard hasVersions(place), version != firstVersion,
            let audio = layout.segments?.audio(of: stream, version: version)
        else { return tracks[place] }
        return audioVersions.track(place, in: audio.number) ?? tracks[place]
    }

    private func privateData(version: Int, of plan: SegmentPlan) -> [UInt8]? {
        if let segments = layout.segments { return segments.configuration(ofGroup: version) }
        return version <= plan.changes.count ? plan.changes[version - 1].privateData : nil
    }

    /// Whether the configuration of a version is known. In a list, it is known once a segment of that version has been
    /// read.
    package func knows(version: Int) -> Bool {
        guard version != firstVersion, let segments = layout.segments else { return true }
        return segments.configuration(ofGroup: version) != nil
    }

    /// The version of the configuration with which the tracks were opened: 0, or in a list, the version of the segment
    /// at which reading entered the list.
    package var firstVersion: Int { layout.segments?.firstGroup ?? 0 }

    /// A segment that reveals the configuration of a track in a version. `nil` if the configuration is already known, or no
    /// segment reveals it.
    ///
    /// - Parameter place: the track's position in `tracks`.
    package func sample(ofVersion version: Int, of place: Int = 0) -> Int? {
        guard tracks[place].kind == .audio else {
            return knows(version: version) ? nil : layout.segments?.sample(ofGroup: version)
        }
        let stream = tracks[place].stream.index
        guard hasVersions(place), version != firstVersion, let segments = layout.segments else { return nil }
        let isDecided =
            segments.audio(of: stream, version: version).map { audioVersions.track(place, in: $0.number) != nil }
            ?? segments.knowsAudio(of: stream, version: version)
        return isDecided ? nil : segments.sample(ofGroup: version)
    }

    /// Why segments of the source cannot be announced in parts. `nil` if they can.
    package var obstacleToParts: String? {
        if let segments = layout.segments {
            if segments.partHoldBack == nil { return "its playlist lists no parts" }
        } else if interleaving != .live {
            return "it is not a live transport stream"
        }
        if lead.kind != .video { return "it has no video" }
        if !lead.isServed { return "its video is not served" }
        if lead.videoBridge != nil { return "its video is encoded" }
        if lead.timing != .presentation || lead.companion != nil {
            return "the times of its pictures are not in its packets"
        }
        if layout.segments != nil, tracks.contains(where: \.isBridged) { return "its audio is encoded" }
        return nil
    }

    /// Whether a segment of these tracks needs packets from before it, so that reading should begin one segment
    /// earlier.
    func needsEarlierSegment(_ places: Set<Int>) -> Bool { places.contains { tracks[$0].isBridged } }

    /// Whether pictures that are read after a seek may be incomplete: libavformat confuses the sizes of samples after it
    /// has moved between the fragments of an MP4 file with a `sidx` of the whole file.
    func mayReadCutPictures(by plan: SegmentPlan) -> Bool { container.isMP4 && plan.origin != .index }
}

extension OpenedSource {
    /// The time at which each segment of the plan was recorded; `nil` if unknown. Empty if the source states no times.
    package var dates: [WallTime?] { layout.segments?.dates ?? [] }

    /// The target duration in the source's own playlist, if the source has one and was growing when it was opened. For
    /// a title whose plan grows, the length that no segment is expected to exceed. Otherwise `nil`.
    package var promisedTargetDuration: MediaTime? { layout.segments?.targetDuration ?? units?.longestSegment }

    /// As `ListedSegments.partHoldBack`; `nil` for a source without a playlist.
    package var partHoldBack: MediaTime? { layout.segments?.partHoldBack }

    /// The end of the leading track, in ticks of its stream, if it is known before the plan is complete.
    package var statedEnd: Int64? { units?.end }

    /// The variants that players may switch to, in descending order of bandwidth.
    package var siblings: [ListSibling] { lead.isRemuxedVideo ? layout.siblings : [] }

    /// Whether scanning ahead of playback downloads the source. A growing source arrives anyway.
    package var isDownloadedByScan: Bool {
        file.isRemote && file.growth == nil && layout.segments == nil && !isPlannedAhead
    }

    /// Whether only the beginning of the plan is known at first, and the rest follows soon.
    package var isPlannedAhead: Bool { units != nil }

    /// Whether each segment is a resource of its own. If one of them has changed, the others may still be the same.
    package var hasListedSegments: Bool { layout.segments != nil }

    /// Makes the next read fetch the source's own playlist again first, if it has one.
    package func refresh() { layout.segments?.refresh() }

    /// The leading track after each announced change of its configuration.
    package func announcedVersions(of plan: SegmentPlan) -> [Track] {
        plan.announcedChanges.indices.map { track(0, version: $0 + 1, of: plan).track }
    }
}
