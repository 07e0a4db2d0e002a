// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Finds the subtitle packets of a source that stay on screen for a long time, in the container's index or with a walk
/// over the source.
///
/// Depends on the source only. Not thread-safe: owned by one actor with a thread of its own.
final class SubtitleSpans {
    /// Packets that last longer than this are recorded. Less than the usual length of any track, because a packet may
    /// be stored before its time.
    private static let leastLength = MediaTime.seconds(20)

    private let source: OpenedSource
    private let timeBases: [Int: TimeBase]
    /// By stream. Streams whose long packets cannot be found are neither here nor in the walk.
    private var indexed: [Int: LongSpans] = [:]
    private var walk: SpanWalk?

    /// - Parameter reader: a reader that has opened the same source.
    init(_ source: OpenedSource, _ reader: SourceReader, interrupt: InterruptFlag) throws(EngineError) {
        self.source = source
        let infos = reader.streamInfos()
        timeBases = Dictionary(uniqueKeysWithValues: infos.map { ($0.index, $0.timeBase) })
        let container = source.container
        let saysAll = container.isMatroska || container.isMP4
        // In other containers, long bitmaps are found by looking back, and broadcast text does not state its duration.
        guard saysAll || !container.canStartAnywhere else { return }
        let tracks = source.media.subtitleTracks.filter { track in
            !track.isWithinPictures && (saysAll || track.isText && !track.codec.isTeletext)
        }
        let bytes = source.file.cursor(interrupt)
        let cues =
            container.isMatroska
            ? try MatroskaCues { (offset, count) throws(EngineError) in try bytes.read(at: offset, count: count) } : nil
        var walked: [Int: LongSpans] = [:]
        for track in tracks {
            guard let stream = track.stream, let base = timeBases[stream] else { continue }
            let least = Self.leastLength.ticks(in: base)
            // An MP4 sample is on screen until the next sample.
            let isReplaced = source.container.isMP4 || !track.isText
            var spans = LongSpans(longerThan: least, isReplaced: isReplaced)
            let entries = cues?.entries[stream] ?? []
            if isReplaced ? !entries.isEmpty : entries.contains(where: { $0.duration != nil }) {
                for entry in entries { spans.add(at: entry.time, lasting: entry.duration, position: entry.position) }
                indexed[stream] = spans
            } else if source.container.isMP4, source.indexPlan != nil {
                for entry in reader.context.indexEntries(of: stream) {
                    spans.add(at: entry.timestamp, lasting: nil, position: entry.position)
                }
                indexed[stream] = spans
            } else {
                walked[stream] = spans
            }
        }
        if !walked.isEmpty { walk = try SpanWalk(source, streams: walked, interrupt: interrupt) }
    }

    /// Whether all long packets of a track that start before a unit are known.
    func isKnown(_ track: SubtitleTrack, before unit: Int, _ units: SubtitleUnits) -> Bool {
        guard let stream = track.stream, let walk, walk.found[stream] != nil else { return true }
        return walk.hasPassed(unit, units)
    }

    /// Advances the walk by one step.
    func step() throws(EngineError) { try walk?.step() }

    /// The units before `unit` with packets of a track that may be on screen at `time`, in order.
    func units(of track: SubtitleTrack, onAt time: MediaTime, before unit: Int, _ units: SubtitleUnits) -> [Int] {
        guard let stream = track.stream, let base = timeBases[stream],
            let spans = indexed[stream] ?? walk?.found[stream]
        else { return [] }
        let ticks = source.origin.source(of: time).ticks(in: base)
        let found = spans.on(at: ticks) { units.unit(of: $0, in: base) < unit }
        return Set(found.map { units.unit(of: $0, in: base) }).sorted()
    }
}
