// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// Reads one source: opens it, and returns the packets of a segment as one batch.
///
/// Never packs, caches or decides what to read next. Called by the producer, which owns each demuxer as one of its
/// cursors. Each demuxer has its own thread, because libavformat blocks.
package actor Demuxer {
    /// The read position.
    private enum Cursor {
        case unknown
        /// The next packets belong to segment `index`; `carry` holds those that were already read. Only `active` tracks
        /// are read.
        case before(index: Int, carry: [Packet], active: Set<Int>)
    }

    private let executor: ThreadExecutor
    private nonisolated let interruptFlag = InterruptFlag()
    private var reader: SourceReader?
    private var opened: OpenedSource?
    private var cursor = Cursor.unknown
    /// Whether the packets read during opening still have to be put on the plan's clock.
    private var isHeadUnplaced = false
    private var harvest = SubtitleHarvest()
    /// Whether reading stops after the first picture of a segment.
    private var stopsAtPicture = false
    /// Maps subtitle packets to segments. `nil` while no subtitles are wanted.
    private var units: SubtitleUnits?
    /// Finds the closed captions in the pictures. `nil` while none are wanted.
    private var extractor: CaptionExtractor?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter name: the thread's name, as `ps -T` shows it.
    package init(name: String) { executor = ThreadExecutor(name: name) }

    /// Creates another cursor over a source that another demuxer has opened.
    package init(name: String, source: OpenedSource, niceness: Int = 0) {
        executor = ThreadExecutor(name: name, niceness: niceness)
        opened = source
    }

    /// Makes the running call and all later calls return at once. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Returns the description that opening the source for playback would give, with every detail that its first
    /// packets reveal.
    package func describe(_ file: RegularFile, options: LoadOptions) throws(EngineError) -> MediaDescription {
        let reader = try SourceReader(file: file, for: .reading, edits: .any, interrupt: interruptFlag)
        try reader.findStreamInfo()
        var media = reader.describe(options: options)
        guard reader.isPlayable(media, options) else {
            try reader.findObjects(&media)
            return media
        }
        let opening = try SourceReader(file: file, for: .reading, interrupt: interruptFlag)
        return try opening.examine(options: options).media.completed(by: media)
    }

    /// Opens a source for playback. Afterwards the read position is the start of the first segment.
    package func open(_ file: RegularFile, options: LoadOptions) throws(EngineError) -> OpenedSource {
        let reader = try SourceReader(file: file, for: .reading, interrupt: interruptFlag)
        let (source, head) = try reader.open(options: options)
        self.reader = reader
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
    ///   - subtitles: indexes of subtitle streams (Matroska only). Their packets are handed over if reading the segment
    ///     covers all of them. If the leading stream's index is included, the closed captions in its pictures are
    ///     always handed over.
    package func read(
        segment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?],
        active: Set<Int>,
        subtitles: Set<Int> = []
    ) throws(EngineError) -> SegmentMaterial {
        guard let opened, let cut = SegmentCut(index: index, of: plan, trackEnds: trackEnds) else {
            throw EngineError(.internal, "segment \(index) was requested before it was planned")
        }
        let active = active.union([0])
        let lead = opened.lead.stream
        extractor =
            subtitles.contains(lead.index) ? CaptionExtractor(codec: lead.codec, extradata: lead.extradata) : nil
        let subtitles = opened.container.isMatroska ? subtitles.subtracting([lead.index]) : []
        units = subtitles.isEmpty ? nil : SubtitleUnits(opened, plan)
        if case .before(index, let carry, active) = cursor {
            let reader = try attachedReader(opened, plan, active: active, subtitles)
            let carry = isHeadUnplaced ? carry.compactMap { reader.placed($0) } : carry
            isHeadUnplaced = false
            if let material = try collect(cut, opened, active, carry: carry, isContiguous: true, reader) {
                return material
            }
        }
        // Enter at the segment itself, or one segment earlier if a bridged track needs a run-up. If that proves too
        // late for a track, enter farther and farther back.
        var back = opened.needsRunUp(active) ? 1 : 0
        while back < index {
            let start = index - back
            let reader = try attachedReader(opened, plan, active: active, subtitles)
            let entered = try reader.enter(
                plan.boundaries[start],
                lead: opened.lead.stream.index,
                isIndexed: plan.origin == .index
            )
            if entered, opened.container.isOgg, opened.lead.kind == .audio { reader.passPage() }
            harvest.enter(at: entered ? plan.boundaries[start].position : .max)
            // After a few attempts, assume that the audio has no frame there.
            let isFinal = back >= 8
            if entered,
                let material = try collect(
                    cut,
                    opened,
                    active,
                    carry: [],
                    isContiguous: isFinal,
                    reader
                )
            {
                return material
            }
            back = back == 0 ? 1 : back * 4
        }
        // Last resort: read from the start of the file. Nothing can be missed there.
        try reopen(opened)
        let reader = try attachedReader(opened, plan, active: active, subtitles)
        harvest.enter(at: 0)
        if let material = try collect(cut, opened, active, carry: [], isContiguous: true, reader) { return material }
        throw EngineError(
            .segmentFailed,
            "segment \(index) of \(opened.file.path) does not start at its planned time",
            cause: "no keyframe at \(cut.start.time) ticks"
        )
    }

    /// The picture that opens a segment, with what is needed to pack it and as little else as possible. The read
    /// position is undefined afterwards.
    ///
    /// - Throws: `cancelled` when the task was cancelled before its turn.
    package func readKeyframe(
        ofSegment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?]
    ) throws(EngineError) -> SegmentMaterial {
        guard !Task.isCancelled else { throw EngineError(.cancelled, "the request was cancelled") }
        cursor = .unknown
        stopsAtPicture = true
        defer {
            stopsAtPicture = false
            cursor = .unknown
        }
        return try read(segment: index, of: plan, trackEnds: trackEnds, active: [0])
    }

    /// The image stored as stream `index` of the source, such as cover art.
    package func picture(of index: Int) throws(EngineError) -> [UInt8] {
        guard let opened else { throw EngineError(.internal, "a picture was requested before the source was open") }
        if reader == nil { try reopen(opened) }
        guard let bytes = reader?.context.picture(ofStream: index) else {
            throw EngineError(.sourceChanged, "stream \(index) of \(opened.file.path) is no longer a picture")
        }
        return bytes
    }

    /// Releases the demuxer's memory and file. The read position is undefined afterwards.
    package func close() {
        reader = nil
        cursor = .unknown
    }

    /// Reads packets into a segment. Returns `nil` when reading began too late for it.
    private func collect(
        _ cut: SegmentCut,
        _ opened: OpenedSource,
        _ active: Set<Int>,
        carry: [Packet],
        isContiguous: Bool,
        _ reader: SourceReader
    ) throws(EngineError) -> SegmentMaterial? {
        cursor = .unknown
        var isAtEnd = false
        var collector = SegmentCollector(
            cut: cut,
            tracks: opened.tracks,
            active: active,
            isContiguous: isContiguous,
            stopsAtPicture: stopsAtPicture
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
        cursor = .before(index: cut.index + 1, carry: collector.leftover + pending, active: active)
        var material = collector.material()
        if let units { material.subtitles = harvest.take(units, cut.index, isAtEnd: isAtEnd) }
        if let extractor { material.captions = material.captions(found: extractor) }
        return material
    }

    private func attachedReader(
        _ opened: OpenedSource,
        _ plan: SegmentPlan,
        active: Set<Int>,
        _ subtitles: Set<Int>
    ) throws(EngineError) -> SourceReader {
        if reader == nil { try reopen(opened) }
        guard let reader else { throw EngineError(.internal, "the demuxer has no reader") }
        reader.context.keep(only: subtitles.union(active.flatMap { opened.tracks[$0].streamIndexes }))
        harvest.follow(subtitles, from: reader.context.fileOffset)
        reader.follow(plan)
        return reader
    }

    private func reopen(_ opened: OpenedSource) throws(EngineError) {
        reader = nil
        let reader = try SourceReader(file: opened.file, for: .reading, edits: opened.edits, interrupt: interruptFlag)
        reader.prepareForPackets(of: Set(opened.tracks.flatMap(\.streamIndexes)))
        self.reader = reader
        cursor = .unknown
    }
}
