// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Reads the packets of a source that is a list of segments, as if it were one container.
///
/// Not thread-safe: owned by one reader.
final class ListReader {
    let source: SegmentListSource
    private let interrupt: InterruptFlag
    /// The first segment of each list but the leading one. Only describes streams; packets are read through `walks`.
    private let heads: [OpenSegment]
    /// The number of the first stream of each list.
    private let firstStreams: [Int]
    private let walks: [SegmentWalk]

    /// Opens the first segment of every list but the leading one.
    ///
    /// - Parameter lead: the streams of the leading list's first segment.
    init(_ source: SegmentListSource, lead: [StreamInfo], _ interrupt: InterruptFlag) throws(EngineError) {
        self.source = source
        self.interrupt = interrupt
        var heads: [OpenSegment] = []
        var firstStreams = [0]
        var streams = [lead]
        var count = lead.count
        let expected = source.missingHeads
        source.resources.expect(expected)
        defer { source.resources.dismiss(expected) }
        for list in source.parts.indices.dropFirst() {
            let head = try OpenSegment.head(of: list, in: source, interrupt)
            try head.identifyStreams(of: source)
            firstStreams.append(count)
            streams.append(head.context.streamInfos().map { $0.numbered($0.index + count) })
            count += head.context.streamCount
            heads.append(head)
        }
        self.heads = heads
        self.firstStreams = firstStreams
        walks = streams.indices.map { SegmentWalk($0, of: source, streams[$0], interrupt) }
        for list in walks.indices.dropFirst() {
            try source.place(list, at: { [walks] () throws(EngineError) in try walks[list].distance() })
        }
        enterFirst()
    }

    // MARK: Streams

    /// The streams of all lists but the leading one.
    var otherStreams: [StreamInfo] {
        heads.indices.flatMap { place in
            let first = firstStreams[place + 1]
            return heads[place].context.streamInfos().map { $0.numbered($0.index + first) }
        }
    }

    /// The description of the whole source.
    ///
    /// - Parameter description: the description of the leading list's first segment.
    func completed(_ description: MediaDescription) -> MediaDescription {
        var media = description
        let leading = media.streams.count
        for (head, first) in zip(heads, firstStreams.dropFirst()) {
            for var stream in head.context.describe(source: source.path).streams {
                stream.index += first
                media.streams.append(stream)
            }
        }
        // Streams with playlists of their own belong to every program of the leading list.
        for place in media.programs.indices { media.programs[place].streams += leading..<media.streams.count }
        for index in media.streams.indices where [.audio, .subtitle].contains(media.streams[index].kind) {
            guard let rendition = source.parts[list(of: media.streams[index].index)].rendition else { continue }
            if !rendition.language.isEmpty { media.streams[index].language = rendition.language }
            if !rendition.name.isEmpty { media.streams[index].title = rendition.name }
            media.streams[index].dispositions = rendition.dispositions
        }
        media.variants = source.facts.variants.all
        media.container = ContainerFormat.segmentList.name
        media.containerName = "HTTP Live Streaming (\(media.containerName))"
        media.duration = source.growth == nil ? source.lead.duration : nil
        media.bitRate = max(media.bitRate, source.firstBitRate)
        for index in media.streams.indices { media.streams[index].duration = nil }
        return media
    }

    /// - Parameter stream: a stream of another list than the leading one.
    func parameters(of stream: Int) throws(FFmpegError) -> CodecParameters {
        let list = max(1, list(of: stream))
        return try heads[list - 1].context.codecParameters(of: stream - firstStreams[list])
    }

    /// The formats of the audio after discontinuities.
    var audio: ListAudio { source.audio }

    /// The number of the list that a stream belongs to.
    func list(of stream: Int) -> Int { firstStreams.lastIndex { $0 <= stream } ?? 0 }

    /// Reads into those first segments of the other lists whose headers describe their streams, until everything about
    /// the streams is known. The streams of all others were identified by the initializer.
    func findStreamInfo() throws(FFmpegError) {
        for head in heads where head.context.container.describesItself { try head.findStreamInfo() }
    }

    // MARK: Reading

    /// As `VariantCourse.guide`.
    func follow(_ variants: VariantCourse) { walks[0].follow(variants) }

    /// Reads the configuration and the codec that the video has in a version of the leading list, unless they are known.
    func learnVideo(version: Int) throws(EngineError) { try walks[0].learnVideo(ofGroup: version) }

    /// Reads the formats that audio streams have in a version of the leading list, unless they are known.
    func learnAudio(of streams: Set<Int>, version: Int) throws(EngineError) {
        for stream in streams.sorted() {
            guard let place = source.audio.place(of: stream, version, in: source.parts) else { continue }
            try walks[place.list].learnAudio(ofGroup: place.group)
        }
    }

    func keep(only streams: Set<Int>) { for walk in walks { walk.keep(only: streams) } }

    /// As `SegmentWalk.limitText`, for all lists.
    func limitText(to time: MediaTime) { for walk in walks { walk.limitText(to: time) } }

    /// Goes to the segment of the leading list that is read first (`SegmentList.entrance`).
    func enterFirst() { enter(ListPlace(segment: source.lead.entrance)) }

    /// Goes to the segment of the leading list at a place, and to the segments of the other lists at the same time.
    func enter(_ place: ListPlace) {
        let segment = min(place.segment, source.lead.segments.count - 1)
        walks[0].enter(segment)
        for walk in walks.dropFirst() { walk.enter(at: source.lead.segments[segment].start) }
    }

    /// Decides whether segments that are not complete are read too, as far as they have arrived. Takes effect with the
    /// next jump.
    func reads(arriving: Bool) { for walk in walks { walk.reads(arriving: arriving) } }

    /// Goes to the start of a segment of the leading list, and to the segments of the other lists at the same time. All that has
    /// arrived is read, of the leading list only that segment.
    ///
    /// - Returns: how long the segment lasts so far; `nil` if nothing of it has arrived.
    func enter(arriving segment: Int) -> MediaTime? {
        let lead = source.arriving(0)
        guard lead.segments.indices.contains(segment), !lead.segments[segment].isGap else { return nil }
        reads(arriving: true)
        walks[0].enter(segment, upTo: segment)
        for walk in walks.dropFirst() { walk.enter(at: lead.segments[segment].start) }
        return lead.segments[segment].duration
    }

    /// Goes to the first of these segments of the leading list. Reading ends after the last of them.
    func enter(segments: ClosedRange<Int>) { walks[0].enter(segments.lowerBound, upTo: segments.upperBound) }

    /// Whether the first packets that are read may not be the first of the timeline.
    var startsMidTimeline: Bool { source.slides || source.lead.entrance > 0 }

    /// The start of the timeline, on the source's clock. `nil` if the first packets determine it.
    func timelineOrigin() throws(EngineError) -> MediaTime? {
        // If reading begins at a later segment, the first packets do not determine the origin.
        guard let offset = source.facts.originOffset ?? (startsMidTimeline ? .zero : nil) else { return nil }
        return try walks[0].origin() + offset
    }

    /// As `SegmentListSource.alignment`. True while that is unknown: only the segment that is read first is listed
    /// then, and it begins with a keyframe.
    func isAligned() throws(EngineError) -> Bool { try source.alignment(interrupt) ?? true }

    /// The segments of the leading list from `first` to `segment`, and the next one too if it has the same clock. The
    /// pictures of the next one then have the same configuration, or begin with a keyframe.
    ///
    /// - Parameter crossesClocks: whether the next segment is included whatever its clock, because only its audio is
    ///   wanted.
    func segments(
        from first: Int,
        throughNextOf segment: Int,
        crossesClocks: Bool = false
    ) -> ClosedRange<Int> {
        let lead = source.lead
        func clock(_ index: Int) -> Int { lead.firstGroup(onClockOf: lead.segments[index].group) }
        guard segment + 1 < lead.segments.count, crossesClocks || clock(segment) == clock(segment + 1) else {
            return first...segment
        }
        return first...segment + 1
    }

    /// Waits until the leading list has a segment after this one, or has ended. If only some parts of the source are
    /// bridged, a segment is announced before the next one is listed, although bridging it needs packets of the next
    /// one.
    ///
    /// - Throws: `unavailable` if the list has stalled.
    func awaitNext(of segment: Int) throws(EngineError) { try source.awaitSegment(segment + 1, interrupt) }

    /// Goes to the segment of the leading list that contains a time, according to the durations in the playlist.
    ///
    /// - Parameter time: in ticks of a stream, on the source's clock.
    func enter(at time: Int64, of stream: Int) throws(EngineError) {
        guard let base = walks.lazy.compactMap({ $0.timeBase(of: stream) }).first else { return }
        let origin = try walks[0].origin()
        enter(ListPlace(segment: source.lead.segment(at: MediaTime(time, in: base) - origin)))
    }

    /// Goes to the segment of a list that contains a time, according to the durations in its playlist, or to one before it.
    ///
    /// - Parameters:
    ///   - time: in ticks of a stream of the leading list, on the source's clock.
    ///   - back: how many segments before that segment reading begins.
    /// - Returns: whether nothing in the list before that segment is played.
    func enter(list: Int, at time: Int64, of stream: Int, back: Int) throws(EngineError) -> Bool {
        guard let base = walks[0].timeBase(of: stream) else { return true }
        let origin = try walks[0].origin()
        let listed = walks[list].readsArriving ? source.arriving(list) : source.parts[list].list
        let segment = max(0, listed.segment(at: MediaTime(time, in: base) - origin) - back)
        walks[list].enter(segment)
        return segment == 0 || listed.segments[segment].start <= .zero
    }

    /// The place of the segment that is being read, or is read next.
    var place: ListPlace { ListPlace(segment: walks[0].segment) }

    /// The next packet of the kept streams, in the order of decoding times; `nil` at the end.
    func readPacket() throws(EngineError) -> Packet? {
        let reading = walks.filter(\.reads)
        if reading.count == 1 { return try reading[0].read() }
        var earliest: (walk: SegmentWalk, time: MediaTime)?
        for walk in reading {
            guard let time = try walk.nextTime() else { continue }
            if earliest.map({ time < $0.time }) ?? true { earliest = (walk, time) }
        }
        return try earliest?.walk.read()
    }
}
