// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import Packaging

/// Examines a source with its own demuxer: collects the evidence from which `Examiner` decides.
///
/// Not thread-safe: owned by one actor with its own thread.
package struct SourceExaminer {
    /// The number of packets of an unplayable source that are read to find the start of its timeline.
    private static let originPackets = 400
    /// The number of bytes at the end of a remote source that are fetched if its start does not state where its index
    /// is.
    static let tailByteCount: Int64 = 256 << 10
    /// The maximum number of requests for the end. Several are faster than one, because a new connection takes several
    /// round trips to deliver much.
    private static let tailParts: Int64 = 4
    /// In bytes. A shorter part of the end is not worth a connection: this many arrive in one round trip, in the ten
    /// TCP segments of an initial window (RFC 6928 §2) less the response header.
    private static let smallestTailPart: Int64 = 12 << 10
    /// In bytes. A longer last second is not fetched with the Cues, because other bytes are needed sooner.
    private static let lastSecondByteLimit = 256 << 10
    /// The bytes at the start of a Matroska file that usually state where its Cues are.
    private static let seekHeadByteCount = 4 << 10
    /// The number of coded pictures to search for captions.
    private static let captionedPictures = 64

    /// The demuxer. Its read position is undefined after each examination.
    package let reader: SourceReader
    /// The `moov` box of an MP4 file: libavformat does not expose some of its tables.
    private let movie: [UInt8]?
    /// The program of a transport stream to examine.
    private let program: ProgramSelection
    /// The position at which playback will begin.
    private let start: MediaTime
    /// The cursor that makes a remote source fetch its start and its end. The source fetches expected ranges only while
    /// their cursor exists.
    private let ends: (any ByteCursor)?

    /// Opens a source about which nothing is known yet.
    ///
    /// - Parameters:
    ///   - program: the program of a transport stream to examine.
    ///   - start: the position at which playback will begin; `nil` if nothing will be played.
    package init(
        _ file: any ByteSource,
        program: ProgramSelection = .automatic,
        playedFrom start: MediaTime? = nil,
        interrupt: InterruptFlag
    ) throws(EngineError) {
        self.program = program
        self.start = start ?? .zero
        let first = start == .zero ? SourceStart.firstBytes : []
        let ends = file.cursor(interrupt)
        try Self.expectEnds(of: file, first, ends)
        movie = try Self.movie(of: file, before: first, ends)
        // The rest of the file is being fetched in case the index follows the media. In a movie in fragments, the index
        // does not follow the media.
        if let movie, FragmentedMovie.isAnnounced(in: movie) { ends.expect(first) }
        self.ends = ends
        let edits: FormatContext.Edits = movie.map { EditLists.areSimple(inMovie: $0) ? .simple : .any } ?? .any
        reader = try SourceReader(file: file, for: .reading, edits: edits, interrupt: interrupt)
    }

    /// Examines a source through a demuxer that is already open.
    ///
    /// - Parameters:
    ///   - program: the program of a transport stream to examine.
    ///   - movie: the `moov` box of an MP4 file; without it, the file's tables are not examined.
    package init(_ reader: SourceReader, program: ProgramSelection, movie: [UInt8]? = nil) {
        self.program = program
        self.reader = reader
        self.movie = movie
        start = .zero
        ends = nil
    }

    /// Makes a remote source fetch its end along with its start, because containers keep their index or their last
    /// times there. The fetch continues only while the cursor exists.
    ///
    /// Has no effect on MP4, whose first boxes state where the index is, and on local sources and growing sources. If a
    /// source's layout has no index at the end, the ranges that the layout states are fetched instead
    /// (`SourceLayout.examinedReads`).
    ///
    /// - Parameter start: the ranges to fetch after the end.
    private static func expectEnds(
        of file: any ByteSource,
        _ start: [Range<Int64>],
        _ cursor: any ByteCursor
    ) throws(EngineError) {
        guard file.isRemote, file.growth == nil else { return }
        guard file.layout.canEndWithIndex else {
            let reads = file.layout.examinedReads
            if !reads.isEmpty { cursor.expect(reads) }
            return file.layout.hasBeenOpened()
        }
        let head = try cursor.read(at: 0, count: seekHeadByteCount)
        guard head.dropFirst(4).prefix(4) != Array("ftyp".utf8)[...] else { return }
        let stated = MatroskaEnd(head: head, fileByteCount: file.byteCount)
        let end = stated?.cues ?? max(0, file.byteCount - tailByteCount)..<file.byteCount
        let last = stated?.lastSecond.flatMap { $0.count <= lastSecondByteLimit ? $0 : nil }
        let attachments = try MatroskaAttachments.range(
            head: head,
            fileByteCount: file.byteCount,
            nearByteCount: SourceStart.firstBytes[0].upperBound
        ) { offset, count throws(EngineError) in try cursor.read(at: offset, count: count) }
        guard let attachments, attachments.upperBound > SourceStart.firstBytes[0].upperBound else {
            let part = max(smallestTailPart, (Int64(end.count) + tailParts - 1) / tailParts)
            let parts = stride(from: end.upperBound, to: end.lowerBound, by: -Int(part)).map {
                max(end.lowerBound, $0 - part)..<$0
            }
            return cursor.expect(parts + (last.map { [$0] } ?? []) + start)
        }
        // The attachments take longer to arrive than the end, which therefore is left to one connection.
        let whole = (last?.lowerBound ?? end.lowerBound)..<end.upperBound
        guard attachments.lowerBound < SourceStart.firstBytes[0].upperBound else {
            return cursor.expect([whole, attachments] + start)
        }
        // The media comes after the attachments. A demuxer reads its first bytes, too, when it opens the file.
        let media = start.last?.upperBound ?? SourceStart.firstBytes[0].upperBound
        cursor.expect([whole, attachments.lowerBound..<attachments.upperBound + media])
    }

    /// The `moov` box of an MP4 file. If the index of a growing file follows its media, waits for the whole file.
    ///
    /// - Parameter start: the ranges at the start of a remote file that will be read after the box.
    /// - Throws: `sourceNotReadable` if the index of a growing file follows its media, and the file is still being
    ///   written or will not be kept whole.
    private static func movie(
        of file: any ByteSource,
        before start: [Range<Int64>] = [],
        _ cursor: any ByteCursor
    ) throws(EngineError) -> [UInt8]? {
        guard let first = file.growth, file.layout.canEndWithIndex, try TopLevelBoxes(cursor).indexFollowsMedia() else {
            return try TopLevelBoxes(cursor).movie(before: start)
        }
        // The index is written last. A process that has just closed the file may still appear to write to it: a child
        // process that it started in the meantime has inherited the descriptor.
        if first.isRecording, try TopLevelBoxes(cursor).hasWholeIndex() {
            file.endGrowth()
            return try TopLevelBoxes(cursor).movie()
        }
        var offset = cursor.byteCount
        while !first.isRecording, let growth = file.growth, growth.becomesWhole {
            let count = try cursor.read(at: offset, count: 1 << 20).count
            if count == 0 { break }
            offset += Int64(count)
        }
        // The last bytes may arrive before the end of their transfer is known: the source then still counts as growing.
        if let growth = file.growth, growth.isRecording || !growth.becomesWhole {
            throw EngineError(
                .sourceNotReadable,
                "the index of \(file.path) follows its media, which cannot be read without it",
                cause: !growth.isRecording
                    ? "its server does not support ranges, and \(growth.expectedByteCount.map { "its \($0) bytes exceed" } ?? "the file exceeds") "
                        + "the memory for such a source"
                    : "the file is still being written; its index is written at the end"
            )
        }
        return try TopLevelBoxes(cursor).movie()
    }

    // MARK: Describing

    /// Describes the source, with a route for every stream as far as its codec determines that.
    package func describe(options: LoadOptions) throws(EngineError) -> MediaDescription {
        try withChapters(survey(options).media)
    }

    /// Describes the source as opening it for playback would, with every detail that its first packets reveal.
    static func description(
        of file: any ByteSource,
        options: LoadOptions,
        loudness: LoudnessStore,
        interrupt: InterruptFlag
    ) throws(EngineError) -> MediaDescription {
        let ends = file.cursor(interrupt)
        defer { withExtendedLifetime(ends) {} }
        try expectEnds(of: file, [], ends)
        let movie = try movie(of: file, ends)
        // As in `init`.
        if let movie, FragmentedMovie.isAnnounced(in: movie) { ends.expect([]) }
        let reader = try SourceReader(file: file, for: .reading, edits: .any, interrupt: interrupt)
        let examiner = SourceExaminer(reader, program: options.program, movie: movie)
        let options = examiner.leveled(options, by: loudness)
        let header = try examiner.describe(options: options)
        try reader.findStreamInfo()
        var media = try examiner.describe(options: options)
        // Properties that libavformat derives from encrypted samples are meaningless.
        for stream in header.streams where stream.protection != nil { media.streams[stream.index] = stream }
        guard examiner.isPlayable(media, options) else { return try examiner.withObjects(media) }
        let again = try SourceExaminer(file, program: options.program, interrupt: interrupt)
        let examination = try again.examine(options: options)
        return examination.media.completed(by: media)
    }

    /// Whether at least one stream of the source can be played.
    package func isPlayable(_ media: MediaDescription, _ options: LoadOptions) -> Bool {
        !StreamChoice(reader.streamInfos(), media, options).played.isEmpty
    }

    private func survey(
        _ options: LoadOptions
    ) throws(EngineError) -> (media: MediaDescription, facts: ContainerFacts) {
        let infos = reader.streamInfos()
        let facts = try ContainerFacts(
            reader.bytes,
            reader.context.container,
            scrambled: reader.search.scrambled,
            headByteCount: reader.context.fileOffset,
            isOnDisc: reader.title != nil,
            movie: movie
        )
        var media = MediaDescription(declaredBy: reader)
        media.byteCount = UInt64(reader.file.growth?.expectedByteCount ?? reader.file.byteCount)
        if media.bitRate == 0, reader.file.growth == nil { media.bitRate = media.meanBitRate }
        let identifiers = Dictionary(uniqueKeysWithValues: infos.map { ($0.index, $0.identifier) })
        media = facts.completing(media, identifiers: identifiers)
        if reader.file.layout.decryptsSamples {
            for position in media.streams.indices { media.streams[position].protection = nil }
        }
        try media.choose(program)
        let choice = StreamChoice(infos, media, options)
        for position in media.streams.indices {
            media.streams[position].route = choice.route(of: media.streams[position])
        }
        return (media, facts)
    }

    /// Adds the chapters of a disc's title.
    private func withChapters(_ media: MediaDescription) throws(EngineError) -> MediaDescription {
        guard let title = reader.title else { return media }
        var media = media
        media.chapters = try title.chapters(reader.interrupt)
        return media
    }

    /// Adds the audio objects in the first packets to the description of a source that is not opened for playback.
    private func withObjects(_ media: MediaDescription) throws(EngineError) -> MediaDescription {
        let carriers = media.ownStreams.filter { ObjectAudio.carriers.contains($0.codec) && $0.protection == nil }
        var wanted = Set(carriers.map(\.index))
        guard !wanted.isEmpty else { return media }
        reader.keep(only: wanted)
        var packets: [Int: [Packet]] = [:]
        var byteCount = 0
        while !wanted.isEmpty, byteCount < ObjectSearch.byteLimit, let packet = try reader.readPacket() {
            byteCount += packet.byteCount
            packets[packet.streamIndex, default: []].append(packet)
            if packets[packet.streamIndex, default: []].count >= ObjectSearch.packetLimit {
                wanted.remove(packet.streamIndex)
            }
        }
        var media = media
        for (index, objects) in ObjectSearch.objects(in: packets, of: media) {
            media.streams[index].audio?.objects = objects
        }
        return media
    }

    /// Adds the caption channels in the first pictures of the video to the description of a source that is not opened
    /// for playback.
    package func withCaptions(_ media: MediaDescription) throws(EngineError) -> MediaDescription {
        let wanted = media.ownStreams.first { $0.kind == .video && $0.protection == nil }
        guard let place = media.streams.firstIndex(where: { $0.index == wanted?.index }) else {
            return media
        }
        let stream = media.streams[place].index
        let info = reader.streamInfos().first { $0.index == stream }
        guard let extractor = info.flatMap({ CaptionExtractor(codec: $0.codec, extradata: $0.extradata) }) else {
            return media
        }
        reader.keep(only: [stream])
        var channels: Set<String> = []
        var pictures = 0
        while pictures < Self.captionedPictures, let packet = try reader.readPacket() {
            guard packet.streamIndex == stream else { continue }
            pictures += 1
            channels.formUnion(packet.withBytes { extractor.channels(in: $0) })
        }
        var media = media
        media.streams[place].video?.captionChannels = channels.sorted()
        return media
    }

    // MARK: Examining

    /// Chooses the streams to play, and determines how each is packed or that it must be decoded. Afterwards the read
    /// position is after the packets of `Examination.head`.
    package func examine(options: LoadOptions) throws(EngineError) -> Examination {
        let (media, facts) = try survey(options)
        let choice = StreamChoice(reader.streamInfos(), media, options)
        try choice.requirePlayable(path: reader.file.path)
        reader.prepareForPackets(of: choice.read)
        let index = IndexReader(
            reader: reader,
            movie: movie,
            lead: choice.lead,
            streams: choice.played,
            start: start,
            ends: ends
        )
        let indexed = try index.read()
        if index.hasMoved {
            try reader.reopen()
            reader.prepareForPackets(of: choice.read)
        }
        let lead = reader.streamInfos().first { $0.index == choice.lead }
        let patience = Interleaving(of: reader.file, in: reader.container).patience
        var head = SourceHead(
            of: choice,
            patience: lead.flatMap { patience?.ticks(in: $0.timeBase) },
            isAuthored: reader.title != nil
        )
        head.add(samples: try samples())
        while head.wantsMore, let packet = try reader.readPacket() { head.add(packet) }
        let evidence = SourceEvidence(
            path: reader.file.path,
            container: reader.container,
            streams: reader.streamInfos(),
            // Nothing else depends on the chapters, so they are read last.
            media: try withChapters(media.namingLayers(from: head.packets)),
            facts: facts,
            choice: choice,
            index: indexed,
            head: head,
            origin: try reader.list?.timelineOrigin().map { TimelineOrigin($0) },
            startsMidTimeline: reader.list?.startsMidTimeline ?? false,
            isGrowing: reader.file.growth != nil
        )
        return Examiner(evidence, options: options, trials: DecoderTrials(reader: reader)).examination()
    }

    /// The packets in front of a disc's title (`TitleTimeline.samples`). Afterwards the read position is the start of the
    /// title. Does nothing for other sources.
    private func samples() throws(EngineError) -> [Packet] {
        guard let start = reader.title?.sampledStart else { return [] }
        var found: [Packet] = []
        do throws(FFmpegError) { try reader.seek(byte: 0) } catch { throw unidentified(error) }
        while let packet = try reader.readPacket(), packet.position.map({ $0 < start }) ?? true { found.append(packet) }
        do throws(FFmpegError) { try reader.seek(byte: start) } catch { throw unidentified(error) }
        return found
    }

    private func unidentified(_ error: FFmpegError) -> EngineError {
        EngineError(error, .sourceNotReadable, "the streams of \(reader.file.path) could not be identified")
    }

    /// Opens the source for playback, and returns the packets read so far. Afterwards the read position is after them.
    package func open(options: LoadOptions) throws(EngineError) -> (source: OpenedSource, head: [Packet]) {
        let found = try examine(options: options)
        if let refusal = found.refusal { throw refusal }
        return (try opened(found, options: options), found.head.all)
    }

    /// Turns an examination into a source for playback, with its plan if the index or the source's layout provides one.
    package func opened(_ found: Examination, options: LoadOptions) throws(EngineError) -> OpenedSource {
        var tracks = found.tracks
        var notices = found.notices
        var plan: SegmentPlan?
        var ends: [MediaTime?] = tracks.map { _ in nil }
        let limits = SegmentPlanner.Limits(target: options.segmentTarget, timeBase: tracks[0].stream.timeBase)
        let first = found.head.packets[tracks[0].stream.index]?.first
        if let indexed = found.index {
            let bytes = reader.bytes
            // An unreadable sector invalidates only the index entries in it. Any other failure, such as a server that
            // does not respond, reveals nothing about the index and is thrown.
            var failure: EngineError?
            let result = indexed.plan(for: tracks[0], limits: limits, firstPacket: first) {
                (offset, count) throws(EngineError) in
                do throws(EngineError) {
                    return try bytes.read(at: offset, count: count)
                } catch {
                    if error.code != .sourceReadFailed { failure = error }
                    throw error
                }
            }
            if let failure { throw failure }
            switch result {
            case .success(let made):
                plan = made
                ends = tracks.map { indexed.end(of: $0) }
                if reader.container.isMP4 { tracks = tracks.map { $0.measured(by: made, in: reader.context) } }
            case .failure(let reason):
                notices.append(Notice(.warning, "plan.index_rejected", "\(reason.text); scanning the source instead"))
            }
            // From here on, only the segment that is played first is needed.
            bytes.expect(plan.flatMap { firstPlayed(of: $0, found) }.map { [$0] } ?? [])
        }
        let facts = PlanFacts(
            lead: tracks[0],
            limits: limits,
            firstPacket: first,
            bitRate: found.media.bitRate,
            bytes: reader.bytes
        )
        var units: UnitPlan?
        switch try reader.file.layout.plan(from: facts) {
        case .success(let own)?:
            (plan, units) = (own.plan, own.units)
            if let segment = firstPlayed(of: own.plan, found) { reader.bytes.expect([segment]) }
        case .failure(let reason)?:
            notices.append(Notice(.warning, "plan.index_rejected", "\(reason.text); scanning the source instead"))
        case nil: break
        }
        notices += reader.file.layout.notices
        return OpenedSource(
            file: reader.file,
            layout: reader.file.layout,
            container: reader.container,
            edits: reader.edits,
            media: found.media,
            tracks: tracks,
            origin: found.origin,
            indexPlan: plan,
            units: units,
            trackEnds: ends,
            notices: notices,
            ladder: found.ladder,
            interleaving: Interleaving(of: reader.file, in: reader.container),
            soundLevels: options.soundLevels,
            videoBridgeLines: found.videoBridgeLines,
            audioVersions: AudioVersions(profile: options.profile, mode: options.bridgeMode),
            videoVersions: VideoVersions(profile: options.profile, hasDolbyVision: options.hasDolbyVision)
        )
    }

    /// The bytes of the segment that is played first. `nil` if it is not planned yet, or the plan does not state them.
    private func firstPlayed(of plan: SegmentPlan, _ found: Examination) -> Range<Int64>? {
        plan.bytes(at: (found.origin.time + start).ticks(in: plan.timeBase))
    }

    /// The start of an unplayable source's timeline: where its first audio, or the first picture of the video stream
    /// `video`, is presented, whichever is earlier.
    package func origin(video: Int?, of media: MediaDescription) throws(EngineError) -> TimelineOrigin {
        let infos = reader.streamInfos().filter { $0.kind == .audio && media.isOwn($0.index) || $0.index == video }
        var times: [Int: [Int64]] = [:]
        for _ in 0..<Self.originPackets {
            guard let packet = try reader.readPacket() else { break }
            if let time = packet.pts ?? packet.dts { times[packet.streamIndex, default: []].append(time) }
        }
        let starts = infos.map { TimelineOrigin.Start($0, times: times[$0.index] ?? []) }
        return TimelineOrigin(of: starts, in: reader.container, padding: .presented)
    }
}

extension MediaDescription {
    /// The mean bit rate of the whole file, in bits per second; 0 if its length or its duration is unknown.
    fileprivate var meanBitRate: UInt64 {
        guard let duration, duration > .zero else { return 0 }
        // A damaged file may state any duration.
        return UInt64(min(Double(byteCount) * 8 / duration.seconds, 1e15))
    }

    /// Adds details that opening a source for playback neither needs nor determines.
    ///
    /// - Parameter details: a description of the same source after `SourceReader.findStreamInfo`.
    fileprivate func completed(by details: MediaDescription) -> MediaDescription {
        var media = self
        media.duration = media.duration ?? details.duration
        if media.bitRate == 0 { media.bitRate = details.bitRate }
        for index in media.streams.indices where details.streams.indices.contains(index) {
            media.streams[index].complete(by: details.streams[index])
        }
        return media
    }
}

extension StreamDescription {
    fileprivate mutating func complete(by details: StreamDescription) {
        guard codec == details.codec else { return }
        guard route.isServed else {
            let (route, record) = (route, video?.dolbyVision)
            let found = tags.filter { !details.tags.contains($0) }
            self = details
            tags += found
            self.route = route
            if let record { video?.dolbyVision = record }
            return
        }
        if profile.isEmpty { profile = details.profile }
        if bitRate == 0 { bitRate = details.bitRate }
        duration = duration ?? details.duration
        if video?.pixelFormat.isEmpty == true { video?.pixelFormat = details.video?.pixelFormat ?? "" }
    }
}
