// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// A source that is a list of segments, such as an HLS presentation. Each segment is a container by itself.
///
/// As a `ByteSource` it is a sparse file in which each segment has its own range of offsets (`ListPlace`).
/// `SourceReader` reads its packets, segment by segment. All readers share a cache of the most recently used segments.
///
/// Thread-safety: safe. Reads block.
final class SegmentListSource: ByteSource, SourceLayout, ListedSegments {
    let path: String
    let identity: SourceIdentity
    let isRemote: Bool
    let facts: ListFacts
    let resources: any ListResources
    let loaded: LoadedList
    let fetcher: ListFetcher
    private let segmentParts: SegmentParts
    /// The clocks, configurations and videos of the groups of the leading list.
    let groups = ListGroups()
    /// The formats of the audio after discontinuities.
    let audio = ListAudio()
    /// The clocks that restart without a discontinuity.
    let restarts = ListRestarts()

    /// - Parameters:
    ///   - path: as `ByteSource.path`.
    ///   - measured: as for `ListFetcher`.
    ///   - noted: how many segments an earlier process noted as announced; 0 if there was no such process. If the list
    ///     slides, its indices continue after those, so that no player sees different media under an index that it
    ///     knows.
    ///   - reload: fetches the list again, after a refresh or because it grows.
    init(
        path: String,
        isRemote: Bool,
        _ content: ListContent,
        _ facts: ListFacts = ListFacts(),
        cacheByteLimit: Int? = nil,
        measuredWith measured: Locked<SegmentThroughput>? = nil,
        after noted: Int = 0,
        resources: any ListResources,
        reload: @escaping @Sendable (ListLoad, InterruptFlag) throws(EngineError) -> ListContent
    ) {
        self.path = path
        self.isRemote = isRemote
        // Every reader begins with these segments, even long after the server has dropped them from a list that slides.
        let heads = content.parts.filter { $0.list.slides && $0.kind == .media }.map { $0.list.segments[$0.list.head] }
        fetcher = ListFetcher(
            path: path,
            resources,
            cacheByteLimit: cacheByteLimit ?? SegmentCache.defaultByteLimit,
            holding: Set(heads.flatMap { [$0.map, $0.resource].compactMap(\.self) }),
            measuredWith: measured
        )
        segmentParts = SegmentParts(path: path, fetcher, resources)
        loaded = LoadedList(
            path: path,
            content,
            after: content.parts[0].list.slides ? SegmentPlan.announced(afterNoting: noted) : 0,
            segmentParts,
            switchingAlong: facts.variants.ladder,
            by: { [fetcher, groups] in groups.isAligned == true ? fetcher.throughput : nil },
            reload: reload
        )
        self.facts = facts
        self.resources = resources
        identity = .list(name: path, digest: content.digest)
    }

    /// The first part leads: its segments are the segments of the plan.
    var parts: [ListPart] { loaded.parts }

    var lead: SegmentList { parts[0].list }

    /// Makes the next read fetch the list again first, because its URLs may have been signed again.
    func refresh() { loaded.refresh() }

    /// Limits the cache to its full size halved `times` times.
    func halveCache(_ times: Int) { fetcher.halveCache(times) }

    // MARK: SourceLayout

    var reading: SourceReading { .list(self) }

    /// Each segment has an index of its own.
    var canEndWithIndex: Bool { false }

    var segments: (any ListedSegments)? { self }

    var siblings: [ListSibling] { facts.variants.siblings }

    var notices: [Notice] { facts.notices }

    /// As `SourceLayout.sibling`. The variant fetches its resources through this source's `resources`.
    func sibling(_ index: Int, origin: MediaTime, _ interrupt: InterruptFlag) throws(EngineError) -> any ByteSource {
        let opening = ListVariants.Opening(
            index: index,
            isStale: loaded.wasRefreshed,
            originOffset: groups.reference(in: lead).map { origin - $0.origin }
        )
        return try facts.variants.open(opening, interrupt)
    }

    // MARK: Growth

    var growth: SourceGrowth? { loaded.isGrowing ? SourceGrowth() : nil }

    /// The reserve includes the time that fetching a segment takes, unless its parts are there already.
    var live: LiveProgress? {
        var progress = loaded.progress
        if !segmentParts.isTrusted(0), let reserve = progress?.reserve, let share = fetcher.throughput.share,
            let targetDuration
        {
            progress?.reserve = reserve + .seconds(targetDuration.seconds * min(share, 1))
        }
        return progress
    }

    /// The target duration of the leading playlist when it was opened, if segments could follow.
    var targetDuration: MediaTime? { loaded.targetDuration }

    var partHoldBack: MediaTime? { loaded.partHoldBack }

    var oldest: Int64 { ListPlace(segment: parts.oldest).position }

    var slides: Bool { lead.slides }

    /// Returns the notices about a growing list that have accumulated since the last call.
    func takeNotices() -> [Notice] { loaded.takeNotices() + segmentParts.takeNotices() }

    var playedVariant: PlayedVariant? { loaded.playedVariant }

    func endGrowth() { loaded.endGrowth() }

    /// Loads a growing list again until it has more segments, has stalled, or has ended. Call from one thread only.
    ///
    /// - Parameter untilPart: whether a new part of the segment that is not complete counts too.
    /// - Throws: `cancelled`; `sourceEncrypted`; or, when loads have failed for ten minutes, the error of the last one.
    func grow(untilPart: Bool = false, _ interrupt: InterruptFlag) throws(EngineError) {
        try loaded.grow(untilPart: untilPart, interrupt)
    }

    /// As `LoadedList.grows`.
    func grows(
        beyond count: Int,
        list: Int,
        upTo limit: MediaTime?,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Bool {
        try loaded.grows(beyond: count, list: list, upTo: limit, interrupt)
    }

    /// As `LoadedList.awaitSegment`.
    func awaitSegment(_ index: Int, _ interrupt: InterruptFlag) throws(EngineError) {
        try loaded.awaitSegment(index, interrupt)
    }

    // MARK: Segments

    /// The bytes of one segment, after those of its init segment if it has one.
    func bytes(of index: Int, in list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        try loaded.reloadIfStale(interrupt)
        let segment = try segment(index, in: list)
        do throws(EngineError) {
            if segment.resource.url.isEmpty {
                let text = "it has left the playlist, whose oldest segment is \(parts[list].list.oldest) now"
                throw EngineError(.sourceNotReadable, text)
            }
            let head = try segment.map.map { map throws(EngineError) in try fetcher.bytes(of: map, interrupt) } ?? []
            let body = try segmentParts.bytes(of: segment, index, in: list, interrupt)
            if list == 0, head.isEmpty, !segment.isOpen { loaded.noteSplices(in: body, of: index) }
            guard let cipher = segment.samples, !(head.isEmpty ? body : head).isMovie else {
                return head.isEmpty ? body : head + body
            }
            return try fetcher.sampleKey(cipher, interrupt).decrypt(head + body)
        } catch {
            if error.code == .cancelled { throw error }
            throw EngineError(
                error.code,
                "segment \(index) of \(path) cannot be read: \(error.message)",
                cause: error.cause
            )
        }
    }

    /// A list with the parts of the segment that is not complete, as far as they have been fetched.
    func arriving(_ list: Int) -> SegmentList {
        let known = parts[list].list
        return segmentParts.open(list).map { known.including($0.entry, as: $0.index) } ?? known
    }

    private func segment(_ index: Int, in list: Int) throws(EngineError) -> SegmentList.Segment {
        try segmentParts.segment(index, of: parts[list].list, list)
    }

    /// As `LoadedList.announceParts`.
    func announceParts(ofSegment index: Int) { loaded.announceParts(ofSegment: index) }

    /// The init segment of a list of text; empty if it has none, `nil` if it cannot be fetched. A text list that cannot
    /// be fetched does not prevent playback of the other lists: reading it fails later.
    func mapOfText(in list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8]? {
        let known = parts[list].list
        guard let map = known.segments[known.head].map else { return [] }
        do throws(EngineError) {
            return try fetcher.bytes(of: map, interrupt)
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }

    /// The first segment of the leading list that has media, from the entrance on, opened.
    func head(_ interrupt: InterruptFlag) throws(EngineError) -> FormatContext {
        let expected = expectedStart.map { [$0] } ?? []
        resources.expect(expected)
        let entrance = lead.entrance
        try ListEntrance.settle(in: self, interrupt)
        let first = lead.head
        if entrance != lead.entrance { resources.dismiss(expected) }
        let key = try sampleKey(of: first, in: 0, interrupt)?.key
        return try OpenSegment.open(bytes(of: first, in: 0, interrupt), first, of: 0, in: self, key: key, interrupt)
    }

    /// The first segments of the lists after the leading one that have to be fetched.
    var missingHeads: [ListedResource] {
        let heads = parts.dropFirst().filter { $0.kind == .media }.map { $0.list.segments[$0.list.head] }
        return heads.flatMap { [$0.map, $0.resource].compactMap(\.self) }.filter { fetcher.cached($0) == nil }
    }

    /// The key for the samples of a segment. `nil` if they are in the clear.
    func sampleKey(of index: Int, in list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> SampleKey? {
        try loaded.reloadIfStale(interrupt)
        guard let cipher = try segment(index, in: list).samples else { return nil }
        return try fetcher.sampleKey(cipher, interrupt)
    }

    /// Whether some samples are encrypted in a way that the engine can decrypt.
    var decryptsSamples: Bool { parts.contains { $0.list.segments.contains { $0.samples != nil } } }

    /// The sum of the bit rates of the first segments of all lists, in bits per second. Segments that are not cached
    /// count as 0.
    var firstBitRate: UInt64 {
        let rates = parts.filter { $0.kind == .media }.map { part -> Double in
            let first = part.list.segments[part.list.head]
            let count = fetcher.cached(first.resource)?.count ?? 0
            return first.duration > .zero ? Double(count * 8) / first.duration.seconds : 0
        }
        return UInt64(rates.reduce(0, +))
    }

    /// As `LoadedList.place`.
    func place(_ list: Int, at distance: () throws(EngineError) -> MediaTime?) throws(EngineError) {
        try loaded.place(list, at: distance)
    }

    /// As `SegmentList.loss`.
    func loss(of index: Int, in list: Int, because error: EngineError) -> SegmentLoss {
        parts[list].list.loss(of: index, isGrowing: growth != nil, because: error)
    }

    /// Skips a segment from now on.
    func lose(_ index: Int, of list: Int, because error: EngineError) { loaded.lose(index, of: list, because: error) }

    /// The URL of a segment for messages: without user name, password and query.
    func shownURL(of index: Int, in list: Int) -> String {
        let segments = arriving(list).segments
        return segments.indices.contains(index) ? Self.shown(segments[index].resource.url) : "no longer listed"
    }

    static func shown(_ url: String) -> String {
        guard !DataURL.isOne(url) else { return "in the playlist" }
        guard !FilePath.isFileURL(url) else { return FilePath(fileURL: url)?.text ?? "a file" }
        do throws(ResourceURL.Failure) {
            return try ResourceURL(url).shown
        } catch {
            return ShownURL.text(of: url)
        }
    }

    /// The clock of a group of segments. A group of a list other than the leading one has the clock of the leading
    /// list's group that it is paired with.
    ///
    /// - Parameter find: reads from a segment of a group of the leading list when that segment is presented on its own
    ///   clock, and the properties of its video.
    func clock(
        ofGroup group: Int,
        in list: Int,
        find: (_ group: Int) throws(EngineError) -> ListGroups.Found
    ) throws(EngineError) -> ListClock {
        let listed = parts[list].list
        guard list == 0 else {
            return try clock(ofGroup: listed.group(of: lead, pairedWith: group), in: 0, find: find)
        }
        return try groups.clock(ofGroup: group, in: listed, find: find)
    }

    var dates: [WallTime?] {
        let dates = lead.segments.map(\.date)
        return dates.contains { $0 != nil } ? dates : []
    }

    var firstGroup: Int { lead.reference }

    func sample(ofGroup group: Int) -> Int? {
        let list = lead
        return list.groups.indices.contains(group) ? list.head(ofGroup: group) : nil
    }

    func audio(of stream: Int, version: Int) -> ListedAudio? {
        audio.place(of: stream, version, in: parts).flatMap { audio.audio(of: stream, in: $0.group, of: $0.list) }
    }

    func audio(numbered number: Int) -> ListedAudio? { audio.audio(numbered: number) }

    func knowsAudio(of stream: Int, version: Int) -> Bool {
        audio.place(of: stream, version, in: parts).map { audio.isKnown($0.group, of: $0.list) } ?? true
    }

    func listedEnd(ofAudio stream: Int) -> MediaTime? {
        audio.list(of: stream).flatMap { $0 > 0 ? parts[$0].list.duration : nil }
    }

    func video(ofVersion version: Int) -> ListedVideo? { groups.video(ofGroup: version) }

    func video(numbered number: Int) -> ListedVideo? { groups.video(numbered: number) }

    /// Codec private data of the video of a group of the leading list. `nil` until a segment of it was read.
    func configuration(ofGroup group: Int) -> [UInt8]? { groups.configuration(ofGroup: group) }

    /// Whether the segments of the leading list begin with keyframes. If not, each begins with pictures that can be
    /// decoded only after the previous segment. Either the playlist states it, or one of its segments reveals it. `nil`
    /// while a growing list has no such segment.
    func alignment(_ interrupt: InterruptFlag) throws(EngineError) -> Bool? {
        if let known = groups.isAligned { return known }
        let list = lead
        var isAligned = true
        if !parts[0].isIndependent {
            // The first segment of a group begins with a keyframe anyway.
            let first = list.groups[list.reference]
            if list.entrance + 1 >= list.segments.count, list.entrance == first, growth != nil { return nil }
            if let sample = list.alignmentSample {
                isAligned = try OpenSegment.beginsWithKeyframe(sample, in: self, interrupt)
            }
        }
        groups.noteAlignment(isAligned)
        return isAligned
    }

    /// As `SegmentList.Segment.head`, fetched, for a segment of the leading list.
    func beginning(of index: Int, _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8]? {
        try lead.segments[index].head.map { head throws(EngineError) in try fetcher.bytes(of: head, interrupt) }
    }

    /// The start of the segment that `alignment` reads, to fetch it along with the first segment.
    private var expectedStart: ListedResource? {
        guard groups.isAligned == nil, !parts[0].isIndependent else { return nil }
        return lead.alignmentSample.flatMap { lead.segments[$0].head }
    }

    // MARK: ByteSource

    /// Always 0: the length of a list is not known.
    var byteCount: Int64 { 0 }
    var bytesRead: UInt64 { fetcher.bytesRead }

    /// The bandwidth is that of the segments of the leading list, on which the choice of a live variant depends.
    var traffic: SourceTraffic {
        var traffic = resources.traffic
        guard let means = fetcher.throughput.means, traffic.byteCount > 0 else { return traffic }
        traffic.fastBytesPerSecond = UInt64(means.fast / 8)
        traffic.slowBytesPerSecond = UInt64(means.slow / 8)
        traffic.bytesPerSecond = min(traffic.fastBytesPerSecond, traffic.slowBytesPerSecond)
        return traffic
    }

    /// Does nothing: a segment is fetched once, so there is nothing to compare it with.
    func verify() throws(EngineError) {}

    func report(_ playback: @escaping @Sendable () -> PlaybackReport?) { resources.report(playback) }

    func waits() -> AsyncStream<SourceDelivery> { fetcher.waits() }

    func retry() { resources.retry() }

    func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(self, interrupt) }

    private final class Cursor: ByteCursor {
        private let source: SegmentListSource
        private let interrupt: InterruptFlag

        init(_ source: SegmentListSource, _ interrupt: InterruptFlag) {
            self.source = source
            self.interrupt = interrupt
        }

        /// The offset after the last segment of the last list.
        var byteCount: Int64 {
            ListPlace(list: source.parts.count - 1, segment: source.parts[source.parts.count - 1].list.segments.count)
                .position
        }

        /// A read never extends beyond the end of a segment. At the start of a list, the first segment with media is
        /// returned.
        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard offset >= 0 else { return 0 }
            let place = ListPlace(position: offset)
            guard source.parts.indices.contains(place.list),
                source.parts[place.list].list.segments.indices.contains(place.segment)
            else { return 0 }
            let segment = place.segment == 0 ? source.parts[place.list].list.head : place.segment
            let bytes = try source.bytes(of: segment, in: place.list, interrupt)
            guard place.offset < Int64(bytes.count) else { return 0 }
            let start = Int(place.offset)
            let count = min(output.freeCapacity, bytes.count - start)
            bytes.copy(start..<start + count, to: &output)
            return count
        }
    }
}

extension [UInt8] {
    /// Whether these bytes are fMP4.
    fileprivate var isMovie: Bool {
        let types = ["ftyp", "styp", "moov", "moof", "sidx", "emsg", "prft", "free"]
        return types.contains(String(decoding: dropFirst(4).prefix(4), as: UTF8.self))
    }
}
