// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// Reads one source: opens it, and returns the packets of a segment as one batch.
///
/// Never packs, caches or decides what to read next. The producer owns and calls a demuxer for each of its cursors;
/// sessions, keyframe and caption readers and probes own other demuxers. Each demuxer has its own thread, because
/// libavformat blocks.
package actor Demuxer {
    /// The read position.
    private enum Cursor {
        case unknown
        /// The next packets belong to segment `index`; `carry` holds those that were already read. Only `active` tracks
        /// are read.
        case before(index: Int, carry: [Packet], active: Set<Int>)
    }

    /// One read of a segment.
    private struct Order {
        let source: OpenedSource
        let plan: SegmentPlan
        let cut: SegmentCut
        /// Positions in `OpenedSource.tracks`.
        let active: Set<Int>
        /// Subtitle streams whose packets are harvested.
        var subtitles: Set<Int> = []
        /// Finds the closed captions in the pictures; `nil` when none are wanted.
        var extractor: CaptionExtractor?
        /// Whether reading stops after the first picture.
        var stopsAtPicture = false
        /// As the packets are collected for them.
        var tracks: [PlayedTrack]

        init(
            segment index: Int,
            of plan: SegmentPlan,
            trackEnds: [MediaTime?],
            active: Set<Int>,
            in opened: OpenedSource?
        ) throws(EngineError) {
            guard let opened, let cut = SegmentCut(index: index, of: plan, trackEnds: trackEnds) else {
                throw EngineError(.internal, "segment \(index) was requested before it was planned")
            }
            self.init(opened, plan, cut, active)
        }

        /// - Parameter plan: a plan with known parts of the segment after the announced ones.
        init(partsOf plan: SegmentPlan, active: Set<Int>, in opened: OpenedSource?) throws(EngineError) {
            guard let opened, let cut = SegmentCut(partsOf: plan) else {
                throw EngineError(
                    .internal,
                    "parts of segment \(plan.segmentCount) were requested before they were planned"
                )
            }
            self.init(opened, plan, cut, active)
        }

        private init(_ source: OpenedSource, _ plan: SegmentPlan, _ cut: SegmentCut, _ active: Set<Int>) {
            self.source = source
            self.plan = plan
            self.cut = cut
            self.active = active.union([0])
            tracks = source.tracks
        }

        var streams: Set<Int> { subtitles.union(active.flatMap { source.tracks[$0].streamIndexes }) }
        /// Maps subtitle packets to segments; `nil` when no subtitles are wanted.
        var units: SubtitleUnits? { subtitles.isEmpty ? nil : SubtitleUnits(source, plan) }
    }

    private let executor: ThreadExecutor
    private let opener: SourceOpener
    private nonisolated let interruptFlag = InterruptFlag()
    private var reader: SourceReader?
    private var opened: OpenedSource?
    private var cursor = Cursor.unknown
    /// Whether the reader has moved by seeking since it was at the start of the source.
    private var hasSought = false
    /// Whether the packets read during opening still have to be put on the plan's clock.
    private var isHeadUnplaced = false
    private var harvest = SubtitleHarvest()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter name: the thread's name, as `ps -T` shows it.
    package init(name: String, opener: SourceOpener = SourceOpener()) {
        executor = ThreadExecutor(name: name)
        self.opener = opener
    }

    /// Creates another cursor over a source that another demuxer has opened.
    package init(name: String, source: OpenedSource, niceness: Int = 0) {
        executor = ThreadExecutor(name: name, niceness: niceness)
        opener = SourceOpener()
        opened = source
    }

    /// Makes the running call and all later reads fail at once. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Opens the source that `source` names, and returns the description that opening it for playback would give, with
    /// every detail that its first packets reveal.
    package func describe(
        _ source: String,
        _ http: HTTPOptions = HTTPOptions(),
        options: LoadOptions
    ) throws(EngineError) -> MediaDescription {
        let source = try opener.open(source, http, options: options, interrupt: interruptFlag)
        return try SourceExaminer.description(
            of: source,
            options: options,
            loudness: opener.loudness,
            interrupt: interruptFlag
        )
    }

    /// Opens the source that `source` names for playback. Afterwards the read position is the start of the first
    /// segment.
    ///
    /// - Parameters:
    ///   - start: the position at which playback will begin.
    ///   - noted: as for `SourceOpener.open`.
    ///   - onSource: called with the source before its first bytes are waited for, and again with the opened source,
    ///     which may be another.
    package func open(
        _ source: String,
        _ http: HTTPOptions = HTTPOptions(),
        options: LoadOptions,
        playedFrom start: MediaTime = .zero,
        after noted: Int = 0,
        onSource: @Sendable (any ByteSource) -> Void = { _ in }
    ) throws(EngineError) -> OpenedSource {
        let bytes = try opener.open(
            source,
            http,
            follows: true,
            after: noted,
            options: options,
            interrupt: interruptFlag,
            onSource: onSource
        )
        onSource(bytes)
        return try open(bytes, options: options, playedFrom: start)
    }

    /// Opens another variant of an open source for playback.
    ///
    /// - Parameters:
    ///   - index: `SourceVariant.index` of one of the siblings of `source`.
    ///   - source: the open source.
    package func open(
        variant index: Int,
        of source: OpenedSource,
        options: LoadOptions
    ) throws(EngineError) -> OpenedSource {
        var options = options
        // Variants of one source have one level.
        options.soundLevels = source.soundLevels
        return try open(source.layout.sibling(index, origin: source.origin.time, interruptFlag), options: options)
    }

    private func open(
        _ bytes: any ByteSource,
        options: LoadOptions,
        playedFrom start: MediaTime = .zero
    ) throws(EngineError) -> OpenedSource {
        let examiner = try SourceExaminer(
            bytes,
            program: options.program,
            playedFrom: start,
            interrupt: interruptFlag
        )
        let options = examiner.leveled(options, by: opener.loudness)
        let (source, head) = try examiner.open(options: options)
        reader = examiner.reader
        opened = source
        isHeadUnplaced = true
        cursor = .before(index: 0, carry: head, active: Set(source.tracks.indices))
        return source
    }

    /// The packets of one segment.
    ///
    /// - Parameters:
    ///   - index: an announced segment of `plan`.
    ///   - trackEnds: where each track ends, if known. The demuxer does not wait for a track that has ended.
    ///   - active: positions in `OpenedSource.tracks` to collect; the leading track is always read.
    ///   - subtitles: indexes of subtitle streams (Matroska only). Their packets are returned if reading the segment
    ///     covers all of them. If the leading stream's index is included, the closed captions in its pictures are
    ///     always returned.
    package func read(
        segment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?],
        active: Set<Int>,
        subtitles: Set<Int> = []
    ) throws(EngineError) -> SegmentMaterial {
        var order = try Order(segment: index, of: plan, trackEnds: trackEnds, active: active, in: opened)
        FaultPoint.reading.reach(order.source.file.path)
        let lead = order.source.lead.stream
        if subtitles.contains(lead.index) {
            order.extractor = CaptionExtractor(codec: lead.codec, extradata: lead.extradata)
        }
        if order.source.container.isMatroska { order.subtitles = subtitles.subtracting([lead.index]) }
        return try read(order)
    }

    /// The packets of the known parts of the segment after the announced ones, and a few more. The read position is
    /// undefined afterwards.
    ///
    /// - Parameters:
    ///   - plan: a plan with such parts.
    ///   - active: as in `read(segment:of:trackEnds:active:subtitles:)`.
    package func read(partsOf plan: SegmentPlan, active: Set<Int>) throws(EngineError) -> SegmentMaterial {
        let order = try Order(partsOf: plan, active: active, in: opened)
        cursor = .unknown
        defer { cursor = .unknown }
        return try read(order)
    }

    private func read(_ order: Order) throws(EngineError) -> SegmentMaterial {
        do throws(EngineError) {
            return try order.source.file.verified { () throws(EngineError) in try find(order) }
        } catch {
            // libavformat does not recover from a source that could not be read.
            if error.code != .segmentFailed { close() }
            throw error
        }
    }

    private func find(_ order: Order) throws(EngineError) -> SegmentMaterial {
        let (source, plan, index) = (order.source, order.plan, order.cut.index)
        if source.container.isSegmentList, let list = try attachedReader(order).list {
            return try find(order, in: list)
        }
        if case .before(index, let carry, order.active) = cursor {
            let reader = try attachedReader(order)
            let carry = isHeadUnplaced ? carry.compactMap { reader.placed($0) } : carry
            isHeadUnplaced = false
            if let material = try collect(order, carry: carry, isContiguous: true, reader) { return material }
        }
        // Enter at the segment itself, or one segment earlier if a bridged track needs packets from before it. If that
        // proves too late for a track, enter at earlier and earlier segments.
        var back = source.needsEarlierSegment(order.active) ? 1 : 0
        while back < index {
            let boundary = plan.boundaries[index - back]
            let reader = try attachedReader(order)
            if let bytes = plan.bytes(ofSegments: index - back...index) { reader.bytes.expect([bytes]) }
            hasSought = true
            let entered = try reader.enter(boundary, lead: source.lead.stream.index, isIndexed: plan.origin == .index)
            if entered, source.container.isOgg, source.lead.kind == .audio { reader.skipPage() }
            harvest.enter(at: entered ? boundary.position : .max)
            // After a few attempts, assume that the audio has no frame there.
            if entered, let material = try collect(order, isContiguous: back >= 8, reader) { return material }
            back = back == 0 ? 1 : back * 4
        }
        // Last resort: read from the start of the file. Nothing can be missed there.
        try reopen(source)
        let reader = try attachedReader(order)
        harvest.enter(at: 0)
        if let material = try collect(order, isContiguous: true, reader) { return material }
        throw EngineError(
            .segmentFailed,
            "segment \(index) of \(source.file.path) does not start at its planned time",
            cause: "no keyframe at \(order.cut.start.time) ticks"
        )
    }

    /// Reads one segment of a list: the packets of the leading list's segment, and the packets of the other lists at
    /// its time.
    private func find(_ order: Order, in list: ListReader) throws(EngineError) -> SegmentMaterial {
        var order = order
        let reader = try attachedReader(order)
        list.reads(arriving: order.cut.settled != nil)
        order.tracks = try order.source.collectedTracks(order.active, for: order.cut.index, of: order.plan, list)
        let lists = Dictionary(grouping: order.active) { list.list(of: order.source.tracks[$0].stream.index) }
        var material = try findInLead(order, Set(lists[0] ?? []), list, reader)
        for (number, places) in lists where number > 0 {
            let parts = try find(order, Set(places), in: number, list, reader)
            for place in places { material.parts[place] = parts[place] }
        }
        if let extractor = order.extractor { material.captions = material.captions(found: extractor) }
        return material
    }

    /// Reads the segment of the leading list, and the segments around it if a bridged track needs them or segments do
    /// not begin with keyframes.
    private func findInLead(
        _ order: Order,
        _ places: Set<Int>,
        _ list: ListReader,
        _ reader: SourceReader
    ) throws(EngineError) -> SegmentMaterial {
        let (index, tracks) = (order.cut.index, order.tracks)
        let isBridged = places.contains { tracks[$0].isBridged }
        let isAligned: Bool = tracks[0].kind == .audio ? true : try list.isAligned()
        if isBridged, !order.source.needsEarlierSegment(places) { try list.awaitNext(of: index) }
        // Frames of a bridged track continue where the source's audio begins anew.
        var crosses = isAligned && places.contains { order.source.tracks[$0].bridge != nil }
        var back = isBridged ? 1 : 0
        reader.keep(only: Set(places.flatMap { tracks[$0].streamIndexes }))
        while true {
            let first = max(0, index - back)
            let isCut = isBridged || !isAligned
            let next = isCut ? list.segments(from: first, throughNextOf: index, crossesClocks: crosses) : first...index
            list.enter(segments: next)
            var collector = ListCollector(
                cut: order.cut,
                tracks: tracks,
                active: places,
                isContiguous: first == 0,
                stopsAtPicture: order.stopsAtPicture,
                isAligned: isAligned
            )
            do throws(EngineError) {
                while let packet = try nextPacket(of: reader), !collector.add(packet) {}
            } catch {
                // The part after the discontinuity may not be playable.
                guard crosses, error.code == .segmentFailed else { throw error }
                crosses = false
                continue
            }
            if let material = collector.finish() { return material }
            // The previous segments may be shorter than what decoding needs.
            back *= 4
        }
    }

    /// Reads the packets of another list between the planned edges of the segment. That list's own segments have other
    /// edges.
    private func find(
        _ order: Order,
        _ places: Set<Int>,
        in number: Int,
        _ list: ListReader,
        _ reader: SourceReader
    ) throws(EngineError) -> [SegmentMaterial.Part?] {
        let (tracks, lead) = (order.tracks, order.source.lead.stream.index)
        var back = 0
        reader.keep(only: Set(places.map { tracks[$0].stream.index }))
        while true {
            let isFirst = try list.enter(list: number, at: order.cut.start.time, of: lead, back: back)
            var collector = SegmentCollector(cut: order.cut, tracks: tracks, active: places, isContiguous: isFirst)
            var progress = SegmentCollector.Progress.more
            while progress == .more, let packet = try nextPacket(of: reader) { progress = collector.add(packet) }
            if progress == .more { progress = collector.finish() }
            if progress == .complete || isFirst { return collector.material().parts }
            back = back == 0 ? 1 : back * 4
        }
    }

    /// The picture that opens a segment, with the packets needed to pack it and as few others as possible. The read
    /// position is undefined afterwards.
    ///
    /// - Throws: `cancelled` when the task was cancelled before its turn.
    package func readKeyframe(
        ofSegment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?]
    ) throws(EngineError) -> SegmentMaterial {
        guard !Task.isCancelled else { throw EngineError(.cancelled, "the request was cancelled") }
        var order = try Order(segment: index, of: plan, trackEnds: trackEnds, active: [], in: opened)
        order.stopsAtPicture = true
        cursor = .unknown
        defer { cursor = .unknown }
        return try read(order)
    }

    /// The image stored as stream `index` of the source, such as cover art.
    package func picture(of index: Int) throws(EngineError) -> [UInt8] {
        guard let opened else { throw EngineError(.internal, "a picture was requested before the source was open") }
        return try opened.file.verified { () throws(EngineError) in
            if reader == nil { try reopen(opened) }
            guard let bytes = reader?.context.embeddedFile(ofStream: index) else {
                throw EngineError(.sourceChanged, "stream \(index) of \(opened.file.path) is no longer a picture")
            }
            return bytes
        }
    }

    /// Releases the demuxer's memory and file. The read position is undefined afterwards.
    package func close() {
        reader = nil
        cursor = .unknown
    }

    /// Reads packets into a segment. Returns `nil` when reading began too late for it.
    private func collect(
        _ order: Order,
        carry: [Packet] = [],
        isContiguous: Bool,
        _ reader: SourceReader
    ) throws(EngineError) -> SegmentMaterial? {
        cursor = .unknown
        var isAtEnd = false
        var collector = SegmentCollector(
            cut: order.cut,
            tracks: order.source.tracks,
            active: order.active,
            isContiguous: isContiguous,
            stopsAtPicture: order.stopsAtPicture,
            interleaving: order.source.interleaving
        )
        var pending = carry[...]
        while true {
            let packet: Packet
            if let next = pending.popFirst() {
                packet = next
            } else if let next = try nextPacket(of: reader) {
                if harvest.note(next) { continue }
                packet = next
            } else {
                isAtEnd = true
                guard collector.finish() == .complete else { return nil }
                break
            }
            switch collector.add(packet) {
            case .more: continue
            case .enteredTooLate: return nil
            case .complete: break
            }
            break
        }
        var material = collector.material()
        if hasSought, order.source.mayReadCutPictures(by: order.plan), material.hasCutPictures(of: order.source.lead) {
            return nil
        }
        let index = order.cut.index
        cursor = .before(index: index + 1, carry: collector.leftover + pending, active: order.active)
        if let units = order.units { material.subtitles = harvest.take(units, index, isAtEnd: isAtEnd) }
        if let extractor = order.extractor { material.captions = material.captions(found: extractor) }
        return material
    }

    /// The next packet. libavformat itself notices an interruption only when it needs more bytes.
    private func nextPacket(of reader: SourceReader) throws(EngineError) -> Packet? {
        if interruptFlag.isUp { throw EngineError(.cancelled, "reading \(reader.file.path) was interrupted") }
        return try reader.readPacket()
    }

    private func attachedReader(_ order: Order) throws(EngineError) -> SourceReader {
        if reader == nil { try reopen(order.source) }
        guard let reader else { throw EngineError(.internal, "the demuxer has no reader") }
        reader.keep(only: order.streams)
        harvest.follow(order.subtitles, from: reader.fileOffset)
        reader.follow(order.plan)
        return reader
    }

    private func reopen(_ opened: OpenedSource) throws(EngineError) {
        reader = nil
        let reader = try SourceReader(file: opened.file, for: .reading, edits: opened.edits, interrupt: interruptFlag)
        reader.prepareForPackets(of: Set(opened.tracks.flatMap(\.streamIndexes)))
        self.reader = reader
        cursor = .unknown
        hasSought = false
    }
}
