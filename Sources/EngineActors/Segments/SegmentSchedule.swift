// SPDX-License-Identifier: Apache-2.0

/// Decides what a producer does: which requests wait, which segment is read next and by which demuxer, and which
/// requests a finished segment answers.
///
/// Pure: no waiting and no media. Requested segments come first, then those that a reader will request next.
struct SegmentSchedule: Sendable {
    /// Names one request that waits.
    struct RequestID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// A segment to read.
    struct Work: Hashable, Sendable {
        let index: Int
        /// The tracks to make, by position in `OpenedSource.tracks`.
        let tracks: Set<Int>
        /// The number of the demuxer that reads it. One that is used for the first time has to be opened.
        let demuxer: Int
    }

    private struct Request {
        let index: Int
        let track: Int
    }

    private enum Stage {
        /// A demuxer reads its packets.
        case reading
        /// Its packets are bridged and packed.
        case making
    }

    private struct Cursor {
        /// The segment that the demuxer can read without seeking.
        var next: Int
        var isBusy = false
        var lastUse: UInt64 = 0
    }

    /// How many demuxers there are at most, so that players at different positions do not compete for one.
    static let demuxerLimit = 3

    /// How many segments are announced.
    var segmentCount: Int
    /// How many bytes of media may be made ahead of a reader.
    var bytesAhead: Int
    private(set) var heads: ReaderHeads
    private var cursors = [Cursor(next: 0)]
    private var requests: [RequestID: Request] = [:]
    /// The segments that are being made.
    private var stages: [Int: Stage] = [:]
    /// How many segments are being packed. No read is started meanwhile, so that material does not pile up.
    private var packing = 0
    private var tracks: Set<Int>
    private var clock: UInt64 = 0
    private(set) var isStopped = false

    /// - Parameters:
    ///   - ahead: how many segments are made ahead of a reader.
    ///   - tracks: those that are made before anybody has requested them.
    init(segmentCount: Int, ahead: Int, bytesAhead: Int, tracks: Set<Int>) {
        self.segmentCount = segmentCount
        self.bytesAhead = bytesAhead
        self.tracks = tracks
        heads = ReaderHeads(ahead: ahead)
    }

    /// Whether a request waits for a segment.
    var isAwaited: Bool { !requests.isEmpty }

    // MARK: Requests

    /// A reader requests a segment, which may be in memory already.
    mutating func visit(_ index: Int, track: Int) {
        heads.note(index)
        tracks.insert(track)
    }

    /// Makes a track from now on before it is requested.
    mutating func prefer(_ track: Int) { tracks.insert(track) }

    mutating func makeID() -> RequestID { RequestID(number: tick()) }

    /// Lets a request wait for a segment.
    ///
    /// - Returns: `false` once the schedule is stopped: the request is not answered then.
    mutating func park(_ id: RequestID, _ index: Int, track: Int) -> Bool {
        guard !isStopped else { return false }
        tracks.insert(track)
        requests[id] = Request(index: index, track: track)
        return true
    }

    mutating func cancel(_ id: RequestID) { requests[id] = nil }

    /// No further work is given out.
    ///
    /// - Returns: the requests that wait.
    mutating func stop() -> [RequestID] {
        isStopped = true
        defer { requests = [:] }
        return Array(requests.keys)
    }

    // MARK: Work

    /// The next segment to read, if there is one and a demuxer for it. It counts as being read from then on.
    ///
    /// - Parameters:
    ///   - isHeld: whether a segment is in memory.
    ///   - byteCount: about how many bytes of the source a segment has.
    mutating func next(isHeld: (Int) -> Bool, byteCount: (Int) -> Int) -> Work? {
        guard !isStopped, packing == 0, let index = nextIndex(isHeld, byteCount), let number = freeCursor(for: index)
        else { return nil }
        cursors[number].isBusy = true
        cursors[number].lastUse = tick()
        stages[index] = .reading
        return Work(index: index, tracks: tracks, demuxer: number)
    }

    /// The packets of a segment are read: its demuxer is free.
    mutating func didRead(_ work: Work) {
        cursors[work.demuxer].isBusy = false
        cursors[work.demuxer].next = work.index + 1
        stages[work.index] = .making
    }

    mutating func willPack() { packing += 1 }

    /// A segment is finished.
    ///
    /// - Parameter made: the tracks that were made.
    /// - Returns: the requests that it answers, with their tracks. Requests for other tracks go on waiting.
    mutating func didPack(_ work: Work, made: some Collection<Int>) -> [(id: RequestID, track: Int)] {
        packing -= 1
        stages[work.index] = nil
        let answered = requests.filter { $0.value.index == work.index && made.contains($0.value.track) }
        for id in answered.keys { requests[id] = nil }
        return answered.map { ($0.key, $0.value.track) }
    }

    /// A segment cannot be made.
    ///
    /// - Returns: the requests that fail with it.
    mutating func didFail(_ work: Work) -> [RequestID] {
        // A demuxer that had read it may be at work on another segment.
        if stages.removeValue(forKey: work.index) == .reading {
            cursors[work.demuxer].isBusy = false
            cursors[work.demuxer].next = -1
        }
        let failed = requests.filter { $0.value.index == work.index }.keys
        for id in failed { requests[id] = nil }
        return Array(failed)
    }

    private mutating func tick() -> UInt64 {
        clock += 1
        return clock
    }

    private func nextIndex(_ isHeld: (Int) -> Bool, _ byteCount: (Int) -> Int) -> Int? {
        if let requested = requests.values.map(\.index).filter({ stages[$0] == nil }).min() { return requested }
        guard cursors.contains(where: { !$0.isBusy }) else { return nil }
        return heads.wanted(segmentCount: segmentCount).first { index in
            stages[index] == nil && !isHeld(index) && bytes(upTo: index, byteCount) < bytesAhead
        }
    }

    /// From the closest reader at or before `index` through `index`.
    private func bytes(upTo index: Int, _ byteCount: (Int) -> Int) -> Int {
        guard let place = heads.places.filter({ $0 <= index }).max() else { return 0 }
        return (place...index).reduce(0) { $0 + byteCount($1) }
    }

    private mutating func freeCursor(for index: Int) -> Int? {
        let free = cursors.indices.filter { !cursors[$0].isBusy }
        if let fitting = free.first(where: { cursors[$0].next == index }) { return fitting }
        // A demuxer is about to finish the segment before this one: continuing there is cheaper than a seek.
        if !requests.values.contains(where: { $0.index == index }), stages[index - 1] != nil { return nil }
        // Opening another demuxer takes longer than waiting for one, so only players that take turns get their own.
        if heads.hasSeveralReaders, cursors.count < min(Self.demuxerLimit, heads.places.count) {
            cursors.append(Cursor(next: -1))
            return cursors.count - 1
        }
        return free.min { cursors[$0].lastUse < cursors[$1].lastUse }
    }
}
