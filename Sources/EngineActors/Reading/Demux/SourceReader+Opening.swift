// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import Packaging

extension SourceReader {
    /// Packets of each played track at the start of the source.
    struct Head {
        /// By stream index; video starts at its first keyframe.
        var packets: [Int: [Packet]] = [:]
        /// Everything that was read, in file order.
        var all: [Packet] = []
    }

    private static let headByteLimit = 48 << 20
    private static let headPacketLimit = 6000
    /// How many packets a bridge is tried on: enough for a decoder to find an entry point, and for times to reveal a
    /// lattice.
    private static let bridgedHeadPackets = 64

    /// Describes the source, with a route for every stream.
    package func describe(options: LoadOptions) -> MediaDescription {
        var media = context.describe(source: file.path)
        media.byteCount = UInt64(file.byteCount)
        noteCropping(in: &media)
        noteCaptionServices(in: &media)
        let choice = StreamChoice(context.streamInfos(), media, options)
        for position in media.streams.indices {
            media.streams[position].route = choice.route(of: media.streams[position])
        }
        return media
    }

    /// What the first packets of a source reveal, and how its streams are therefore handled.
    package struct Examination {
        package var media: MediaDescription
        package var tracks: [ServedTrack]
        /// Where the timeline starts on the source's own clock.
        package var origin: MediaTime
        var index: ContainerIndex?
        var head: Head
        var notices: [Notice]
        /// Why the source cannot be played. `media` still describes it as far as possible.
        package var refusal: EngineError?
    }

    /// Chooses the streams that are played, and determines how each is packed or that it must be decoded. Leaves the
    /// reader after the packets it has read.
    package func examine(options: LoadOptions) throws(EngineError) -> Examination {
        var media = describe(options: options)
        let infos = context.streamInfos()
        var choice = StreamChoice(infos, media, options)
        try choice.requirePlayable(path: file.path)
        let container = context.container
        prepareForPackets(of: choice.read)

        var notices: [Notice] = []
        let index = IndexReader(reader: self, lead: choice.lead, streams: choice.played)
        let indexed = try index.read()
        if index.hasMoved(container) {
            try reopen()
            prepareForPackets(of: choice.read)
        }
        let head = try readHead(of: choice)

        let layer = companionLayer(of: &choice, &media, head)
        var drafts = drafts(of: choice, &media, head, layer, options, &notices)
        do throws(EngineError) {
            try route(&drafts.setups, &media, head, options: options, notices: &notices)
        } catch {
            drafts.refusal = drafts.refusal ?? error
        }
        let setups = drafts.setups
        notices += setups.compactMap { $0.1.secondLayer.map(layerNotice) }
        choice.played = setups.map(\.0.index)
        let origin = origin(setups, head)
        let tracks = setups.map { info, setup in
            let companion = info.index == choice.video ? choice.companion.map { infos[$0] } : nil
            return servedTrack(
                info,
                setup,
                media.streams[info.index],
                companion,
                head,
                origin,
                drafts.bridges[info.index]
            )
        }
        for served in tracks {
            guard served.isServed else {
                media.streams[served.stream.index].video = served.track.video
                continue
            }
            media.streams[served.stream.index].codecString = served.track.codecString
            if let video = served.track.video { media.streams[served.stream.index].video = video }
            if served.bridge == nil, let audio = served.track.audio { media.streams[served.stream.index].audio = audio }
            if media.streams[served.stream.index].delivery == nil {
                media.streams[served.stream.index].delivery = served.track.delivery
            }
        }
        media.start = origin
        notices += setups.filter { $0.0.kind == .audio }.flatMap(\.1.notices)
        notices += findObjects(in: head.packets, &media)
        notices += noticesOfClaims(in: media)
        if head.all.isEmpty {
            for stream in choice.played { media.streams[stream].route = .none("the source contains no packets of it") }
        }

        return Examination(
            media: media,
            tracks: tracks,
            origin: origin,
            index: indexed,
            head: head,
            notices: notices,
            refusal: drafts.refusal
        )
    }

    /// Opens a source for playback. Leaves the reader after the packets it returns.
    package func open(options: LoadOptions) throws(EngineError) -> (OpenedSource, head: [Packet]) {
        let found = try examine(options: options)
        movie = nil
        if let refusal = found.refusal { throw refusal }
        return (opened(found, options: options), found.head.all)
    }

    /// Turns an examination into a source for playback, with its plan if the index provides one.
    package func opened(_ found: Examination, options: LoadOptions) -> OpenedSource {
        let (tracks, head) = (found.tracks, found.head)
        var notices = found.notices
        var plan: SegmentPlan?
        var ends: [MediaTime?] = tracks.map { _ in nil }
        if let indexed = found.index {
            let limits = SegmentPlanner.Limits(target: options.segmentTarget, timeBase: tracks[0].stream.timeBase)
            switch indexed.plan(
                for: tracks[0],
                limits: limits,
                file: file,
                firstPackets: head.packets[tracks[0].stream.index] ?? []
            ) {
            case .success(let found):
                plan = found
                ends = tracks.map { indexed.end(of: $0) }
            case .failure(let reason):
                notices.append(Notice(.warning, "plan.index_rejected", "\(reason.text); scanning the source instead"))
            }
        }
        return OpenedSource(
            file: file,
            container: context.container,
            edits: edits,
            media: found.media,
            tracks: tracks,
            origin: found.origin,
            indexPlan: plan,
            trackEnds: ends,
            notices: notices
        )
    }

    /// Reads until enough packets of every played stream are known, within limits.
    private func readHead(of choice: StreamChoice) throws(EngineError) -> Head {
        var head = Head()
        var bytes = 0
        var missing = choice.read
        // Objects may start after a few packets, so reading continues a little further to find them.
        var enough: Int?
        while !missing.isEmpty || mayFindObjects(in: head.packets, of: choice.played, readingSince: enough, bytes),
            bytes < Self.headByteLimit, head.all.count < Self.headPacketLimit,
            let packet = try readPacket()
        {
            bytes += packet.byteCount
            head.all.append(packet)
            let stream = packet.streamIndex
            if stream == choice.video, head.packets[stream] == nil, !packet.isKey { continue }
            head.packets[stream, default: []].append(packet)
            let wanted = stream == choice.video ? 24 : choice.isBridged(stream) ? Self.bridgedHeadPackets : 4
            if head.packets[stream, default: []].count >= wanted { missing.remove(stream) }
            if missing.isEmpty, enough == nil { enough = bytes }
        }
        return head
    }

    func setup(
        _ info: StreamInfo,
        _ description: StreamDescription,
        _ packets: [Packet]
    ) throws(PackagingError) -> TrackSetup {
        try TrackSetup.resolve(
            codec: info.codec,
            timescale: timescale(of: info, description),
            extradata: info.extradata,
            firstPackets: packets.prefix(ObjectAudio.carriers.contains(info.codec) ? 64 : 8).map(\.bytes),
            video: description.video,
            audio: description.audio,
            language: description.language
        )
    }

    /// Ticks per second of the track made from a stream.
    func timescale(of info: StreamInfo, _ description: StreamDescription) -> UInt32 {
        if info.kind == .audio { return UInt32(clamping: max(1, description.audio?.sampleRate ?? 48_000)) }
        let base = info.timeBase
        return base.numerator == 1 && base.denominator <= 1_000_000 ? UInt32(clamping: base.denominator) : 90_000
    }

    /// The timeline starts where the first picture or audio is presented, but never before the container's own zero:
    /// priming samples lie before it. MPEG-TS has no such zero; there libavformat gives negative times to what precedes
    /// a wrap of the clock.
    private func origin(_ setups: [(StreamInfo, TrackSetup)], _ head: Head) -> MediaTime {
        let starts = setups.compactMap { info, _ -> MediaTime? in
            let times = (head.packets[info.index] ?? []).compactMap { $0.pts ?? $0.dts }
            guard let first = info.kind == .video ? times.min() : times.first else { return nil }
            let rate = TimeBase.hertz(48_000)
            let padding =
                info.kind == .audio && first < 0 ? rate.rescale(Int64(info.initialPadding), to: info.timeBase) : 0
            return MediaTime(first &+ padding, in: info.timeBase)
        }
        let first = starts.min() ?? .zero
        return context.container.isMPEGTS ? first : max(.zero, first)
    }
}
