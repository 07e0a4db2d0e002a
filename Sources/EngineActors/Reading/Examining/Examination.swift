// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import Packaging

/// The result of examining the first packets of a source: its properties, and the handling of its streams.
package struct Examination {
    package let media: MediaDescription
    package let tracks: [PlayedTrack]
    /// The smaller sizes of the video that players may switch to.
    let ladder: [LadderRung]
    /// See `LoadOptions.videoBridgeLines`; `nil` if no video is bridged.
    let videoBridgeLines: Int?
    package let origin: TimelineOrigin
    /// The claims of the container's index; `nil` if the container has no index of the whole file, or if the stream to
    /// which the index belongs does not lead.
    let index: ContainerIndex?
    let head: SourceHead
    let notices: [Notice]
    /// The reason why the source cannot be played; `nil` if it can. `media` describes the source in both cases.
    package let refusal: EngineError?
}

/// Everything that `Examiner` knows about a source.
struct SourceEvidence {
    let path: String
    let container: ContainerFormat
    /// By stream index.
    let streams: [StreamInfo]
    /// The container's description of the source, with the routes that follow from codecs.
    let media: MediaDescription
    let facts: ContainerFacts
    let choice: StreamChoice
    let index: ContainerIndex?
    let head: SourceHead
    /// The start of the timeline; `nil` if the first packets determine it.
    var origin: TimelineOrigin?
    /// Whether the timeline has packets before the first ones read: a list that slides is read from near its end.
    var startsMidTimeline = false
    var isGrowing = false
}

/// Decides how the streams of a source are handled. Never reads: everything it needs is in the evidence, and decoders
/// are tried through `StreamTrials`.
struct Examiner {
    /// The draft of a video after its route was decided.
    private struct Routing {
        var draft: TrackDraft
        /// See `LoadOptions.videoBridgeLines`.
        var bridgeLines: Int?
        var ladder: [VideoBridgeDraft] = []
        var notices: [Notice] = []
        /// The reason why the video makes the source unplayable; `nil` if it does not.
        var refusal: EngineError?
    }

    private let evidence: SourceEvidence
    private let options: LoadOptions
    private let trials: any StreamTrials
    /// The Dolby Vision enhancement layer in a second video track; `nil` if there is none.
    private let layer: SecondLayer?
    private let choice: StreamChoice

    init(_ evidence: SourceEvidence, options: LoadOptions, trials: any StreamTrials) {
        self.evidence = evidence
        self.options = options
        self.trials = trials
        choice = evidence.choice.refusingRemux(
            of: evidence.choice.remuxedOnly.filter { index in
                let stream = Self.played(index, evidence.media.streams[index], evidence)
                return !stream.packets.isEmpty
                    && !StreamExaminer(stream: stream, options: options, trials: trials).isRemuxable
            }
        )
        layer = evidence.choice.companion.flatMap { stream in
            SecondLayer(
                companion: (evidence.head.packets[stream] ?? []).map(\.bytes),
                declared: evidence.media.streams[stream].video?.dolbyVision
            )
        }
    }

    func examination() -> Examination {
        let head = evidence.head
        var media = evidence.media
        var notices = media.encryptionNotices
        var refusal: EngineError?
        if let companion = choice.companion, layer != nil {
            media.streams[companion].route = StreamChoice.layerRoute(of: choice.video)
        }
        var drafts: [TrackDraft] = []
        for stream in choice.played {
            let verdict = verdict(on: stream)
            notices += verdict.notices
            switch verdict.draft {
            case .success(let draft): drafts.append(draft)
            case .failure(let error):
                media.streams[stream].route = .none("\(error)")
                let what = "\(media.streams[stream].codec.rawValue) stream \(stream)"
                guard stream == choice.lead else {
                    notices.append(Notice(.warning, "track.not_served", "\(what) is not served: \(error)"))
                    continue
                }
                let text = "the \(what) of \(evidence.path) cannot be played"
                refusal = EngineError(.noPlayableStream, text, cause: "\(error)")
            }
        }
        // The audio of a recording whose video has no keyframe can still be played.
        if let missing = refusal, !drafts.isEmpty, head.packets[choice.lead, default: []].isEmpty {
            let text = "stream \(choice.lead) has no keyframe and is not played: \(missing.cause)"
            notices.append(Notice(.warning, "track.not_served", text))
            refusal = nil
        }
        var rungs: [TrackDraft] = []
        var bridgeLines: Int?
        for place in drafts.indices where drafts[place].info.kind == .video {
            let routing = laddered(routing(of: drafts[place]), of: drafts[place])
            rungs = routing.ladder.map { VideoBridgeRouting.bridged(drafts[place], $0, because: "for slow links") }
            drafts[place] = routing.draft
            bridgeLines = routing.bridgeLines
            notices += routing.notices
            refusal = refusal ?? routing.refusal
        }
        if !options.ladder.isEmpty, drafts.allSatisfy({ $0.info.kind != .video }) {
            notices.append(VideoBridgeRouting.noticeOfLadderWithoutVideo(of: evidence.path))
        }
        notices += drafts.compactMap { $0.setup.secondLayer.map(Self.notice) }
        let origin =
            evidence.origin
            ?? TimelineOrigin(
                of: drafts.map { draft in
                    let packets = head.packets[draft.info.index] ?? []
                    return TimelineOrigin.Start(draft.info, times: packets.compactMap { $0.pts ?? $0.dts })
                },
                in: evidence.container,
                padding: .skipped
            )
        let tracks = drafts.map { track(of: $0, origin) }
        for draft in drafts { media.streams[draft.info.index] = draft.description }
        for track in tracks { media.streams[track.stream.index] = track.completing(media.streams[track.stream.index]) }
        if tracks.first?.isRemuxedVideo == false {
            for index in media.variants.indices where media.variants[index].use == .offered {
                media.variants[index].use = .unused
                media.variants[index].reason = "players can switch to it only from video that is served unchanged"
            }
        }
        if let lead = tracks.first, !rungs.isEmpty, media.variants.isEmpty {
            media.variants = [.whole(lead, bitRate: media.bitRate)]
        }
        let known = media.variants.count
        let ladder = rungs.enumerated().map { place, draft in
            LadderRung(known + place, track(of: draft, origin).aligned(with: tracks[0]))
        }
        media.variants += ladder.map(\.variant)
        media.start = origin.time
        notices += drafts.filter { $0.info.kind == .audio }.flatMap(\.setup.notices)
        let unmeasured = options.unmeasured(drafts.filter { $0.info.kind == .audio }.map(\.info.index))
        if !unmeasured.isEmpty { notices.append(BridgeNotices.unmeasured(unmeasured)) }
        let objects = ObjectSearch.objects(in: head.packets, of: media)
        for index in media.streams.indices {
            guard let found = objects[index] else { continue }
            media.streams[index].audio?.objects = found
            notices.append(ObjectSearch.notice(of: found, in: media.streams[index]))
        }
        notices += evidence.facts.contradictions(in: media)
        if head.all.isEmpty {
            for draft in drafts {
                media.streams[draft.info.index].route = .none("the source contains no packets of this stream")
            }
        }
        return Examination(
            media: media,
            tracks: tracks,
            ladder: ladder,
            videoBridgeLines: bridgeLines,
            origin: origin,
            // The index belongs to the stream that was chosen to lead.
            index: drafts.first?.info.index == choice.lead ? evidence.index : nil,
            head: head,
            notices: notices,
            refusal: refusal
        )
    }

    private func verdict(on index: Int) -> StreamExaminer.Verdict {
        let description = evidence.media.streams[index]
        do throws(PackagingError) {
            let stream = try Self.played(index, description, evidence).measured(by: trials)
            return StreamExaminer(stream: stream, options: options, trials: trials)
                .verdict(choice.way(of: description), layer: layer)
        } catch {
            return StreamExaminer.Verdict(draft: .failure(error), notices: [])
        }
    }

    private static func played(
        _ index: Int,
        _ description: StreamDescription,
        _ evidence: SourceEvidence
    ) -> PlayedStream {
        PlayedStream(
            info: evidence.streams[index],
            description: description,
            packets: evidence.head.packets[index] ?? [],
            isCounted: evidence.container.isElementary
        )
    }

    private func track(of draft: TrackDraft, _ origin: TimelineOrigin) -> PlayedTrack {
        let packets = evidence.head.packets[draft.info.index] ?? []
        let placement = TrackPlacement(
            draft,
            packets,
            in: evidence.container,
            origin: origin,
            startsMidTimeline: evidence.startsMidTimeline
        )
        let hasCompanion = layer != nil && draft.info.index == choice.video
        let companion = hasCompanion ? choice.companion.map { evidence.streams[$0] } : nil
        return PlayedTrack(draft, placement, companion: companion, in: evidence.container)
    }

    // MARK: Video

    /// Decides how a video reaches the current player: remuxed, or bridged if that is wanted and possible. Any other
    /// video is left to the software path.
    private func routing(of draft: TrackDraft) -> Routing {
        let remuxed = remuxing(draft)
        guard
            let reason = VideoBridging.reason(
                for: remuxed.draft.description.route,
                mode: options.videoBridge,
                burnsSubtitles: options.burnedSubtitles != nil && !evidence.isGrowing
            )
        else { return remuxed }
        do throws(PackagingError) {
            guard let codec = try VideoBridging.codec(for: options.profile, requested: options.videoBridgeCodec) else {
                return remuxed
            }
            let stream = Self.played(draft.info.index, draft.description, evidence)
            let (bridge, limit, slow) = try self.bridge(stream, draft.setup, to: codec)
            var notices = VideoBridgeRouting.notices(about: bridge, of: draft)
            if let slow { notices.append(VideoBridgeRouting.notice(of: draft, slow, bridge, limit)) }
            return Routing(
                draft: VideoBridgeRouting.bridged(draft, bridge, because: reason),
                bridgeLines: limit.lines,
                notices: draft.setup.notices + notices
            )
        } catch {
            var remuxed = remuxed
            remuxed.notices.append(VideoBridgeRouting.notice(of: draft, refusedBy: error))
            return remuxed
        }
    }

    /// The bridge of a video in the size that the options state or, if they state none, in the largest size that this
    /// machine encodes in real time (the smallest one if there is none).
    ///
    /// - Returns: also that size as an option, and the last attempt that was too slow; `nil` if there was none.
    private func bridge(
        _ stream: PlayedStream,
        _ setup: TrackSetup,
        to codec: EncodedCodec
    ) throws(PackagingError) -> (bridge: VideoBridgeDraft, size: BridgeSize, slow: BridgeSize.Slowness?) {
        let usesDevice = options.usesHardwareEncoder
        func bridge(_ limit: BridgeSize) throws(PackagingError) -> VideoBridgeDraft {
            try trials.videoBridges(stream, setup, to: codec, usesDevice: usesDevice, limit, [nil])[0]
        }
        if let lines = options.videoBridgeLines ?? options.measuredBridgeLines {
            let limit = BridgeSize(lines: lines)
            return (try bridge(limit), limit, nil)
        }
        return try BridgeSize.chosen { (limit) throws(PackagingError) in
            try bridge(limit)
        } target: {
            $0.target
        } speed: { bridge in
            bridge.isDemanding ? trials.speed(of: bridge, stream, in: evidence.container) : nil
        }
    }

    /// Adds the smaller sizes that the load asks for to the routing of a video.
    ///
    /// - Parameter draft: for the source's own packets.
    private func laddered(_ routing: Routing, of draft: TrackDraft) -> Routing {
        guard !options.ladder.isEmpty, routing.refusal == nil else { return routing }
        var routing = routing
        do throws(PackagingError) {
            let (codec, rungs) = try VideoLadder.rungs(
                options.ladder,
                of: routing.draft.description,
                routing.draft.setup,
                isRemuxed: routing.draft.videoBridge == nil,
                isLive: evidence.isGrowing,
                sourceBitRate: evidence.media.bitRate,
                profile: options.profile
            )
            let stream = Self.played(draft.info.index, draft.description, evidence)
            routing.ladder = try trials.videoBridges(
                stream,
                draft.setup,
                to: codec,
                usesDevice: options.usesHardwareEncoder,
                .unlimited,
                rungs
            )
            routing.notices.append(VideoBridgeRouting.notice(about: routing.ladder, of: draft))
        } catch {
            routing.notices.append(VideoBridgeRouting.notice(of: draft, withoutLadder: error))
        }
        return routing
    }

    /// Decides how a video is signalled to the current player, if it is remuxed. Video that the player does not support is
    /// left to the software path.
    private func remuxing(_ draft: TrackDraft) -> Routing {
        var routing = Routing(draft: draft)
        let info = draft.info
        if !options.profile.takesInterlaced, let corrected = progressive(draft) {
            routing.draft = corrected
            let text =
                "stream \(info.index) is declared interlaced but its frames are not; treating it as progressive"
            routing.notices.append(Notice(.info, "video.fields_contradiction", text))
        }
        let setup = routing.draft.setup
        if case .software = draft.description.route { return routing }
        let route = VideoRoute(
            track: setup.track,
            profile: options.profile,
            hasDolbyVision: options.hasDolbyVision,
            canConvert: setup.canConvertDolbyVision
        )
        var description = draft.description
        description.route = route.route
        guard let entry = route.entry else {
            routing.draft = TrackDraft(info: info, description: description, setup: setup, bridge: nil)
            guard !VideoDecoder.exists(for: info.codec) else { return routing }
            routing.refusal = EngineError(
                .noPlayableStream,
                "the \(info.codec.rawValue) video of \(evidence.path) cannot be served for \(options.profile.label)",
                cause: route.route.reason
            )
            return routing
        }
        routing.notices += setup.notices
        if let video = setup.track.video, video.hasImpossibleAspectRatio {
            let ratio = video.sampleAspectRatio
            let text =
                "pixels of \(ratio.numerator):\(ratio.denominator) do not suit \(video.width)x\(video.height)"
                + "; treating pixels as square"
            routing.notices.append(Notice(.warning, "video.aspect_ratio_ignored", text))
        }
        var delivery = Delivery(
            codec: info.codec,
            sampleEntry: entry.rawValue,
            codecString: route.codecString,
            supplementalCodecs: route.supplementalCodecs
        )
        delivery.videoFormat = route.format
        description.delivery = delivery
        routing.draft = TrackDraft(info: info, description: description, setup: setup.routed(route), bridge: nil)
        return routing
    }

    /// The corrected draft of a video that is declared interlaced but is not; `nil` for any other. Only needed for a
    /// player that does not deinterlace.
    private func progressive(_ draft: TrackDraft) -> TrackDraft? {
        guard draft.setup.track.video?.isInterlaced == true, StreamChoice.video.contains(draft.info.codec) else {
            return nil
        }
        do throws(PackagingError) {
            guard try trials.fields(of: Self.played(draft.info.index, draft.description, evidence)) == .progressive
            else { return nil }
        } catch {
            // Without a decoder, the declaration is trusted.
            return nil
        }
        var setup = draft.setup
        setup.track.video?.isInterlaced = false
        return TrackDraft(info: draft.info, description: draft.description, setup: setup, bridge: nil)
    }

    private static func notice(of layer: SecondLayer) -> Notice {
        let kind =
            switch layer.source.metadata {
            case .seven(isMinimal: true): "minimal enhancement layer"
            case .seven(isMinimal: false): "full enhancement layer"
            default: "enhancement layer"
            }
        return Notice(.info, "video.layer_dropped", "the Dolby Vision \(kind) is dropped; the base layer is served")
    }
}

extension PlayedTrack {
    /// The description of the track's stream, with what its first packets revealed.
    fileprivate func completing(_ description: StreamDescription) -> StreamDescription {
        var description = description
        guard isServed else {
            description.video = track.video
            return description
        }
        guard videoBridge == nil else {
            // `track` describes the form that the player receives.
            description.video?.frameRate = track.video?.frameRate
            return description
        }
        description.codecString = track.codecString
        if let video = track.video { description.video = video }
        if bridge == nil, let audio = track.audio { description.audio = audio }
        description.delivery = description.delivery ?? track.delivery
        return description
    }
}
