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
    ///   - onSource: called with a new source on a server, or a new feed, before its first bytes are waited for; and
    ///     with the opened source, which may be another.
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
        // All variants of a source have the same loudness.
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
        var order = try SegmentOrder(segment: index, of: plan, trackEnds: trackEnds, active: active, in: opened)
        FaultPoint.reading.reach(order.source.file.path)
        let lead = order.source.lead.stream
        if subtitles.contains(lead.index) { order.wantCaptions(in: lead) }
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
        let order = try SegmentOrder(partsOf: plan, active: active, in: opened)
        cursor = .unknown
        defer { cursor = .unknown }
        return try read(order)
    }

    private func read(_ order: SegmentOrder) throws(EngineError) -> SegmentMaterial {
        do throws(EngineError) {
            return try order.source.file.verified { () throws(EngineError) in try find(order) }
        } catch {
            // libavformat does not recover from a source that could not be read.
            if error.code != .segmentFailed { close() }
            throw error
        }
    }

    private func find(_ order: SegmentOrder) throws(EngineError) -> SegmentMaterial {
        let (source, plan, index) = (order.source, order.plan, order.cut.index)
        if source.container.isSegmentList, let list = try attachedReader(order).list {
            return try ListSegmentReader(order, in: list, with: attachedReader(order)).material()
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
            let startsLink = plan.jumps.contains { $0.firstSegment == index - back }
            if entered, source.container.isOgg, source.lead.kind == .audio, !startsLink { reader.skipPage() }
            harvest.enter(at: entered ? boundary.position : .max)
            // After a few attempts, assume that no audio was missed.
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

    /// The picture that opens a segment, with the packets needed to pack it and as few others as possible. The read
    /// position is undefined afterwards.
    ///
    /// - Throws: `cancelled` if the task was cancelled before the demuxer began to read.
    package func readKeyframe(
        ofSegment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?]
    ) throws(EngineError) -> SegmentMaterial {
        guard !Task.isCancelled else { throw EngineError(.cancelled, "the request was cancelled") }
        var order = try SegmentOrder(segment: index, of: plan, trackEnds: trackEnds, active: [], in: opened)
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

    /// Reads packets into a segment. Returns `nil` if reading began too late for it, or if a picture that was read
    /// after a seek is incomplete.
    private func collect(
        _ order: SegmentOrder,
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
            } else if let next = try reader.readPacket() {
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
        material.captions = order.captions(in: material)
        return material
    }

    private func attachedReader(_ order: SegmentOrder) throws(EngineError) -> SourceReader {
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
