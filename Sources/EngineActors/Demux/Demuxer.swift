// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// Reads one source: opens it, and gives the packets of a segment as one batch.
///
/// Never packs, caches or decides what to read next. Called by the producer, which owns it as one of its cursors. Each has
/// a thread of its own, because libavformat blocks.
package actor Demuxer {
    /// Where reading stands.
    private enum Cursor {
        case unknown
        /// The next packets are those of segment `index`; `carry` came along already. Only `active` tracks are read.
        case before(index: Int, carry: [Packet], active: Set<Int>)
    }

    private let executor: ThreadExecutor
    private nonisolated let interruptFlag = InterruptFlag()
    private var reader: SourceReader?
    private var opened: OpenedSource?
    private var cursor = Cursor.unknown
    /// Whether the packets that came along at opening are yet to be put on the plan's clock.
    private var isHeadUnplaced = false
    private var harvest = SubtitleHarvest()
    /// Whether a segment is read no further than its first picture.
    private var stopsAtPicture = false
    /// To which segments the packets of subtitles belong. `nil` while none are wanted.
    private var units: SubtitleUnits?
    /// Finds the captions within the pictures. `nil` while none are wanted.
    private var extractor: CaptionExtractor?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter name: of the thread, as `ps -T` shows it.
    package init(name: String) { executor = ThreadExecutor(name: name) }

    /// A further cursor over a source that another demuxer has opened.
    package init(name: String, source: OpenedSource, niceness: Int = 0) {
        executor = ThreadExecutor(name: name, niceness: niceness)
        opened = source
    }

    /// Makes a running call return at once, and every later one. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    /// Describes a source as opening it for playback would, in all the detail that reading its first packets gives.
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

    /// Opens a source for playback. The demuxer stands at its first segment afterwards.
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
    ///   - trackEnds: where each track ends, where that is known: a track that has ended is not waited for.
    ///   - active: positions in `OpenedSource.tracks` to collect; the leading track is always read.
    ///   - subtitles: indexes of streams whose packets are handed over where they come along; with the leading stream's, the
    ///     captions within its pictures are, always.
    package func read(
        segment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?],
        active: Set<Int>,
        subtitles: Set<Int> = []
    ) throws(EngineError) -> SegmentMaterial {
        guard let opened, let cut = SegmentCut(index: index, of: plan, trackEnds: trackEnds) else {
            throw EngineError(.internal, "segment \(index) was asked for before it was planned")
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
        // Enter at the segment itself; when that proves too late for some track, ever earlier.
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
            // After a few tries the audio simply has no frame there.
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
        // The start of the file, read through: where everything is found.
        try reopen(opened)
        let reader = try attachedReader(opened, plan, active: active, subtitles)
        harvest.enter(at: 0)
        if let material = try collect(cut, opened, active, carry: [], isContiguous: true, reader) { return material }
        throw EngineError(
            .segmentFailed,
            "segment \(index) of \(opened.file.path) does not start where the plan says",
            cause: "no keyframe at \(cut.start.time) ticks"
        )
    }

    /// The picture that opens a segment, with what is needed to pack it, and as little more as can be. The demuxer stands nowhere
    /// afterwards.
    ///
    /// - Throws: `cancelled` when the task was cancelled before its turn.
    func readKeyframe(
        ofSegment index: Int,
        of plan: SegmentPlan,
        trackEnds: [MediaTime?]
    ) throws(EngineError) -> SegmentMaterial {
        guard !Task.isCancelled else { throw EngineError(.cancelled, "nobody waits any more") }
        cursor = .unknown
        stopsAtPicture = true
        defer {
            stopsAtPicture = false
            cursor = .unknown
        }
        return try read(segment: index, of: plan, trackEnds: trackEnds, active: [0])
    }

    /// The picture that is stream `index` of the source.
    package func picture(of index: Int) throws(EngineError) -> [UInt8] {
        guard let opened else { throw EngineError(.internal, "a picture was asked for before the source was open") }
        if reader == nil { try reopen(opened) }
        guard let bytes = reader?.context.picture(ofStream: index) else {
            throw EngineError(.sourceChanged, "stream \(index) of \(opened.file.path) is no picture any more")
        }
        return bytes
    }

    /// Gives the demuxer's memory and file back. It stands nowhere afterwards.
    package func close() {
        reader = nil
        cursor = .unknown
    }

    /// Reads packets into a segment. `nil` when reading began too late for it.
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
        guard let reader else { throw EngineError(.internal, "a demuxer lost its reader") }
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
