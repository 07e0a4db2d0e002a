// SPDX-License-Identifier: Apache-2.0

/// Decides what a producer does: which requests wait, which segment is read next and by which demuxer, and which
/// requests a finished segment answers.
///
/// Pure: does not wait, and holds no media. Requested segments come first, then those that a reader will request next.
struct SegmentSchedule: Sendable {
    /// Identifies a waiting request.
    struct RequestID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// A segment to read.
    struct Work: Hashable, Sendable {
        let index: Int
        /// The tracks to make, by position in `OpenedSource.tracks`.
        let tracks: Set<Int>
        /// The number of the demuxer that reads the segment. The first use of a number opens a new demuxer.
        let demuxer: Int
    }

    private struct Request {
        let index: Int
        let track: Int
        /// When the request began to wait.
        let since: Int64
    }

    private enum Stage {
        /// A demuxer reads the segment's packets.
        case reading
        /// The segment's packets are bridged and packed.
        case making
    }

    private struct Cursor {
        /// The segment that the demuxer can read without seeking.
        var next: Int
        var isBusy = false
        var lastUse: UInt64 = 0
    }

    /// The maximum number of demuxers. With several, players at different positions do not compete for one.
    static let demuxerLimit = 3

    /// The number of announced segments.
    var segmentCount: Int
    private var readAhead: ReadAhead
    private var cursors = [Cursor(next: 0)]
    /// The requests that wait. `nil` once the schedule has ended, so that no later request can be forgotten.
    private var requests: [RequestID: Request]? = [:]
    /// The segments that are being made.
    private var stages: [Int: Stage] = [:]
    /// The number of segments being packed. While it is not 0, no read is started, so that material does not pile up.
    private var packing = 0
    private var tracks: Set<Int>
    private var clock: UInt64 = 0

    /// - Parameters:
    ///   - ahead: how many segments are made ahead of a reader.
    ///   - bytesAhead: the maximum number of bytes of media made ahead of a reader.
    ///   - tracks: the tracks that are made before they are requested.
    init(segmentCount: Int, ahead: Int, bytesAhead: Int, tracks: Set<Int>) {
        self.segmentCount = segmentCount
        self.tracks = tracks
        readAhead = ReadAhead(ahead, bytes: bytesAhead)
    }

    var heads: ReaderHeads { readAhead.heads }

    /// Whether any request waits for a segment.
    var isAwaited: Bool { requests?.isEmpty == false }

    /// Whether the schedule has ended: it gives out no work, and what was begun before is given up.
    var isEnded: Bool { requests == nil }

    /// Whether no segment has been read, and no request has waited, yet.
    var isUntouched: Bool { clock == 0 }

    /// Whether no segment is being made.
    var isResting: Bool { stages.isEmpty }

    /// When the first of the requests that wait for this segment began to wait. `nil` if none waits.
    func awaitedSince(_ index: Int) -> Int64? { requests?.values.filter { $0.index == index }.map(\.since).min() }

    // MARK: Requests

    /// A reader requests a segment, which may be in memory already.
    mutating func visit(_ index: Int, track: Int) {
        readAhead.visit(index)
        tracks.insert(track)
    }

    /// Changes the maximum number of bytes of media made ahead of a reader, because the store's share of the cache has
    /// changed.
    mutating func setBytesAhead(_ bytes: Int) { readAhead.setBytes(bytes) }

    /// From now on makes a track before it is requested.
    mutating func prefer(_ track: Int) { tracks.insert(track) }

    mutating func makeID() -> RequestID { RequestID(number: tick()) }

    /// Makes a request wait for a segment.
    ///
    /// - Parameter now: on any clock that all producers share.
    /// - Returns: `false` once the schedule has ended: the request will not be answered.
    mutating func park(_ id: RequestID, _ index: Int, track: Int, at now: Int64) -> Bool {
        guard !isEnded else { return false }
        tracks.insert(track)
        requests?[id] = Request(index: index, track: track, since: now)
        return true
    }

    mutating func cancel(_ id: RequestID) { requests?[id] = nil }

    /// Ends the schedule: it gives out no more work, and accepts and answers no more requests.
    ///
    /// - Returns: the requests that were waiting, which the caller has to answer.
    mutating func end() -> [RequestID] {
        defer { requests = nil }
        return requests.map { Array($0.keys) } ?? []
    }

    // MARK: Work

    /// The next segment to read, if there is one, and a free demuxer that may read it. Marks the segment as being read.
    ///
    /// - Parameters:
    ///   - isHeld: whether a segment is in memory.
    ///   - byteCount: the approximate size of a segment in the source, in bytes.
    mutating func next(isHeld: (Int) -> Bool, byteCount: (Int) -> Int) -> Work? {
        guard packing == 0, let index = nextIndex(isHeld, byteCount), let number = freeCursor(for: index) else {
            return nil
        }
        cursors[number].isBusy = true
        cursors[number].lastUse = tick()
        stages[index] = .reading
        readAhead.begin(index)
        return Work(index: index, tracks: tracks, demuxer: number)
    }

    /// The packets of a segment were read, so its demuxer is free.
    mutating func didRead(_ work: Work) {
        cursors[work.demuxer].isBusy = false
        cursors[work.demuxer].next = work.index + 1
        stages[work.index] = .making
    }

    mutating func willPack() { packing += 1 }

    /// A segment is finished.
    ///
    /// - Parameter made: the tracks that were made.
    /// - Returns: the requests that the segment answers, with their tracks. Requests for other tracks keep waiting.
    ///   `nil` once the schedule has ended: the segment is not kept.
    mutating func didPack(_ work: Work, made: some Collection<Int>) -> [(id: RequestID, track: Int)]? {
        packing -= 1
        stages[work.index] = nil
        return take { $0.index == work.index && made.contains($0.track) }
    }

    /// The store has evicted segments.
    ///
    /// - Parameters:
    ///   - evicted: indexes of segments.
    ///   - made: the segment that was stored, if no request waited for it.
    mutating func didEvict(_ evicted: [Int], for made: Int? = nil) {
        readAhead.evict(evicted, for: made, segmentCount: segmentCount)
    }

    /// Making a segment has failed.
    ///
    /// - Returns: the requests for the segment, which fail too.
    mutating func didFail(_ work: Work) -> [RequestID] {
        // If the segment was read already, its demuxer may be reading another one.
        if stages.removeValue(forKey: work.index) == .reading {
            cursors[work.demuxer].isBusy = false
            cursors[work.demuxer].next = -1
        }
        readAhead.fail(work.index)
        return take { $0.index == work.index }?.map(\.id) ?? []
    }

    /// Removes and returns the requests for which `isAnswered` is true. `nil` once the schedule has ended.
    private mutating func take(where isAnswered: (Request) -> Bool) -> [(id: RequestID, track: Int)]? {
        guard let answered = requests?.filter({ isAnswered($0.value) }) else { return nil }
        for id in answered.keys { requests?[id] = nil }
        return answered.map { ($0.key, $0.value.track) }
    }

    private mutating func tick() -> UInt64 {
        clock += 1
        return clock
    }

    private func nextIndex(_ isHeld: (Int) -> Bool, _ byteCount: (Int) -> Int) -> Int? {
        guard let requests else { return nil }
        if let requested = requests.values.map(\.index).filter({ stages[$0] == nil }).min() { return requested }
        guard cursors.contains(where: { !$0.isBusy }) else { return nil }
        return readAhead.next(
            segmentCount: segmentCount,
            isPresent: { stages[$0] != nil || isHeld($0) },
            byteCount: byteCount
        )
    }

    private mutating func freeCursor(for index: Int) -> Int? {
        let free = cursors.indices.filter { !cursors[$0].isBusy }
        if let fitting = free.first(where: { cursors[$0].next == index }) { return fitting }
        // No request waits for this segment, and the one before it is being made: waiting for its demuxer is cheaper
        // than a seek.
        if awaitedSince(index) == nil, stages[index - 1] != nil { return nil }
        // Opening another demuxer takes longer than waiting for a free one, so only players that take turns get one
        // each.
        if heads.hasSeveralReaders, cursors.count < min(Self.demuxerLimit, heads.places.count) {
            cursors.append(Cursor(next: -1))
            return cursors.count - 1
        }
        return free.min { cursors[$0].lastUse < cursors[$1].lastUse }
    }
}
