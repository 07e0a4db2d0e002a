// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// The packets of a source's subtitle streams, by unit: from playback, or from a separate reader.
///
/// Not thread-safe: owned by one actor with its own thread. Playback uses another reader.
final class SubtitlePackets {
    private let source: OpenedSource
    private let interrupt: InterruptFlag
    private var store = PacketStore()
    private var reader: UnitReader?
    /// `nil` until long cues are first searched for.
    private var spans: SubtitleSpans?
    /// By stream: text subtitles that lie outside the container, as on Blu-ray discs.
    private var texts: [Int: DiscTextDecoder] = [:]

    init(_ source: OpenedSource, interrupt: InterruptFlag) {
        self.source = source
        self.interrupt = interrupt
    }

    /// Takes packets that playback has read, so that they need not be read again.
    func take(_ found: HarvestedPackets) { store.set(found.packets, of: found.segment, streams: found.streams) }

    /// The packets of one unit of a track. If the unit must be read, it is read for all shown tracks at once.
    func packets(of unit: Int, _ track: SubtitleTrack, _ demand: CueDemand) throws(EngineError) -> [Packet] {
        guard let stream = track.stream else { return [] }
        if let text = try text(of: track) { return text.packets(of: stream, in: Self.range(of: unit, demand.units)) }
        if let known = store.packets(of: unit, stream: stream) { return known }
        let reader = try reader(demand, including: stream)
        let packets = try reader.packets(of: unit, demand.units)
        store.set(packets, of: unit, streams: reader.streams)
        return packets.filter { $0.streamIndex == stream }
    }

    /// A new decoder of a track.
    func decoder(of track: SubtitleTrack, _ demand: CueDemand) throws(EngineError) -> any CueDecoder {
        if let text = try text(of: track) { return text }
        return try CueDecoderCatalog.decoder(for: try setting(track, demand))
    }

    /// The text of a track that lies outside the container. It is read once. `nil` if the track is in the container.
    private func text(of track: SubtitleTrack) throws(EngineError) -> DiscTextDecoder? {
        guard let stream = track.stream, source.file.hasText(stream, of: source.media) else { return nil }
        if let known = texts[stream] { return known }
        let found = try source.file.text(stream, of: source.media, interrupt)
        texts[stream] = found.map { text in
            DiscTextDecoder(text, track: track.id, origin: source.origin, videoHeight: source.media.videoHeight)
        }
        return texts[stream]
    }

    /// The part of the timeline of a unit. The first unit has no start, and the last one no end.
    private static func range(of unit: Int, _ units: SubtitleUnits) -> MediaTimeRange {
        MediaTimeRange(
            start: unit == 0 ? .seconds(-86_400) : units.start(of: unit),
            end: units.endTime(of: unit) ?? MediaTime(microseconds: .max)
        )
    }

    private func setting(_ track: SubtitleTrack, _ demand: CueDemand) throws(EngineError) -> CueSetting {
        // The parameters of the video are the same whichever streams are read.
        let stream = source.lead.carries(track) ? nil : track.stream ?? source.lead.stream.index
        return try reader(demand, including: stream).reader.setting(track, origin: source.origin)
    }

    func close() { reader = nil }

    // MARK: Long cues

    /// The units before `unit` in which long cues start that may be on screen at `time`, in order.
    func longUnits(
        of tracks: [SubtitleTrack],
        onAt time: MediaTime,
        before unit: Int,
        _ units: SubtitleUnits
    ) -> [Int] {
        guard unit > 0, let spans else { return [] }
        return Set(tracks.flatMap { spans.units(of: $0, onAt: time, before: unit, units) }).sorted()
    }

    /// Whether all long cues of these tracks that start before a unit are known.
    func isSearched(_ tracks: [SubtitleTrack], before unit: Int, _ units: SubtitleUnits) -> Bool {
        guard unit > 0 else { return true }
        return spans.map { spans in tracks.allSatisfy { spans.isKnown($0, before: unit, units) } } ?? false
    }

    /// Advances the search for long cues by one step.
    func search(_ demand: CueDemand) throws(EngineError) {
        if let spans {
            try spans.step()
        } else {
            spans = try SubtitleSpans(source, try reader(demand, including: nil).reader.reader, interrupt: interrupt)
        }
    }

    /// - Parameter stream: a stream that the reader must read; `nil` if any reader will do.
    private func reader(_ demand: CueDemand, including stream: Int?) throws(EngineError) -> UnitReader {
        if let reader, stream.map(reader.streams.contains) ?? true { return reader }
        reader = nil
        let inside = demand.streams.filter { !source.file.hasText($0, of: source.media) }
        let streams = inside.union(stream.map { [$0] } ?? [])
        let opened = try UnitReader(source, streams: streams, interrupt: interrupt)
        reader = opened
        return opened
    }
}

/// The captions in the pictures of the served video, by segment: from playback, or from a separate demuxer.
///
/// A unit contains the captions of its segment's pictures in decoding order, whether playback or this demuxer has read
/// them. Not thread-safe: owned by one actor.
final class CaptionPackets {
    private let source: OpenedSource
    private var store = PacketStore()
    /// Has a low-priority thread. Opened on first use.
    private var demuxer: Demuxer?

    init(_ source: OpenedSource) { self.source = source }

    /// The video stream that contains the captions.
    private var stream: Int { source.lead.stream.index }

    /// Takes packets that playback has read. Returns whether they were captions.
    func take(_ found: HarvestedPackets) -> Bool {
        guard found.streams == [stream] else { return false }
        store.set(found.packets, of: found.segment, streams: found.streams)
        return true
    }

    /// The captions of the segments in `span`. `nil` unless all of them are known.
    func known(_ span: ClosedRange<Int>) -> [Int: [Packet]]? {
        var found: [Int: [Packet]] = [:]
        for unit in span {
            guard let packets = store.packets(of: unit, stream: stream) else { return nil }
            found[unit] = packets
        }
        return found
    }

    /// Reads the captions of a segment.
    func read(_ unit: Int, of plan: SegmentPlan) async throws(EngineError) -> [Packet] {
        let demuxer = demuxer ?? Demuxer(name: "captions", source: source, niceness: 5)
        self.demuxer = demuxer
        let material = try await demuxer.read(
            segment: unit,
            of: plan,
            trackEnds: source.tracks.map { _ in nil },
            active: [0],
            subtitles: [stream]
        )
        let packets = material.captions ?? []
        store.set(packets, of: unit, streams: [stream])
        return packets
    }

    func close() {
        demuxer?.interrupt()
        demuxer = nil
    }
}
