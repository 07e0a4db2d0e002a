// SPDX-License-Identifier: Apache-2.0

/// Finds fragments of a movie by their decode times (`tfdt`), reading only around the wanted time (ISO/IEC 14496-12
/// §8.8).
///
/// Starts at the sync samples that the end of the file lists (`mfra`, §8.8.9). Without such a list, probes the file: a
/// `moof` box is recognized by its children. What a list claims is verified at the fragment.
///
/// Reads through a closure that returns up to the requested number of bytes at a file offset; fewer at the end of the
/// file. Times are in ticks of the track and count from the start of the movie.
package struct FragmentSearch {
    /// A fragment in which a track has samples.
    private struct TrackPart {
        var found: LocatedFragment
        var time: Int64
        var firstSyncTime: Int64?
    }

    /// In bytes. Within this distance, fragments are visited one after the other.
    private static let nearness: Int64 = 512 << 10
    /// In bytes. Within this distance, the next fragment is tried before the middle: if it is after the wanted time,
    /// the search ends.
    private static let nextFragmentDistance: Int64 = 8 << 20
    /// How many bytes at the end of the file are searched for the last fragments. Four times as many per attempt.
    private static let tails: ClosedRange<Int64> = 64 << 10...16 << 20
    /// In bytes. A longer list would cost more to read than the search without it.
    private static let listLimit: Int64 = 4 << 20
    /// The number of fragments that are visited to find the ends of the tracks.
    private static let endFragmentLimit = 1 << 14

    private let reader: FragmentReader
    /// `nil` until the end of the file has been read.
    private var list: SyncSampleList?
    /// The end of the fragments, as far as it is known.
    private var end: Int64
    /// Whether a fragment was seen that does not state its decode time (`tfdt`), so that the searches may have missed
    /// it.
    package private(set) var hasUnplacedFragments = false

    private var movie: FragmentedMovie { reader.movie }
    private var byteCount: Int64 { reader.byteCount }

    /// - Parameters:
    ///   - byteCount: the length of the file.
    ///   - start: the end of the `moov` box.
    package init(of movie: FragmentedMovie, from start: Int64, byteCount: Int64) {
        reader = FragmentReader(movie: movie, start: min(start, byteCount), byteCount: byteCount)
        end = byteCount
    }

    /// The position of the last fragment in which a sync sample of a track is decoded at or before a time. `nil` if
    /// there is none.
    package mutating func fragment<Failure: Error>(
        of track: UInt32,
        atOrBefore time: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Int64? {
        guard let timescale = movie.tracks[track]?.timescale,
            let first = try nextPart(of: track, from: reader.start, read), first.time <= time
        else { return nil }
        var searched = Int64.max
        var limit = time
        // The first step back is one second; each further one is twice as long.
        var step = timescale
        while true {
            // The times of a damaged file may be arbitrary; the search still ends at the first fragment.
            let begin = limit <= first.time ? first : try lastPart(of: track, atOrBefore: limit, after: first, read)
            var last: TrackPart?
            var next: TrackPart? = begin
            while let part = next, part.found.position < searched, part.time <= time {
                if let syncTime = part.firstSyncTime, syncTime <= time { last = part }
                next = try nextPart(of: track, from: part.found.end, read)
            }
            if let last { return last.found.position }
            if begin.found.position <= first.found.position { return nil }
            searched = begin.found.position
            limit = max(first.time, begin.time - step)
            if step < 1 << 60 { step *= 2 }
        }
    }

    /// When the tracks with samples in the last fragments end, by track ID. Empty if these fragments do not state their
    /// times.
    package mutating func ends<Failure: Error>(
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt32: Int64] {
        let steady = movie.audioAndVideoTracks
        guard !steady.isEmpty else { return [:] }
        // The last sync sample of another track may be far from the end.
        if let listed = try readList(read).lastPosition(of: steady), let found = try reader.fragment(at: listed, read) {
            guard let ends = try endTimes(from: found, read) else { return [:] }
            if steady.isSubset(of: ends.keys) { return ends }
        }
        var ends: [UInt32: Int64] = [:]
        let counts = sequence(first: Self.tails.lowerBound) { $0 * 4 }.prefix { $0 <= Self.tails.upperBound }
        for count in counts {
            let from = max(reader.start, end - count)
            if let found = try reader.firstFragment(in: from..<end, read) {
                guard let times = try endTimes(from: found, read) else { return [:] }
                ends = times
            }
            if from == reader.start || steady.isSubset(of: ends.keys) { break }
        }
        return ends
    }

    /// When the tracks end, by track ID, judging by the fragments from `first` on. `nil` if one of them does not state
    /// its time.
    private func endTimes<Failure: Error>(
        from first: LocatedFragment,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt32: Int64]? {
        var ends: [UInt32: Int64] = [:]
        var next: LocatedFragment? = first
        for _ in 0..<Self.endFragmentLimit {
            guard let found = next else { break }
            for (track, run) in found.fragment.runs {
                guard let start = run.start else { return nil }
                ends[track] = max(ends[track] ?? 0, start + run.duration)
            }
            next = try reader.nextFragment(from: found.end, read)
        }
        return ends
    }

    // MARK: Parts of a track

    private mutating func lastPart<Failure: Error>(
        of track: UInt32,
        atOrBefore time: Int64,
        after first: TrackPart,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> TrackPart {
        var low = first
        if let position = try readList(read).position(of: track, atOrBefore: time), position > first.found.position,
            let found = try reader.fragment(at: position, read), let listed = part(of: track, in: found),
            listed.time <= time
        {
            low = listed
        } else {
            low = try probe(for: track, time, low, read)
        }
        while let next = try nextPart(of: track, from: low.found.end, read), next.time <= time { low = next }
        return low
    }

    /// A fragment at or before a time and not far before it.
    private mutating func probe<Failure: Error>(
        for track: UInt32,
        _ time: Int64,
        _ first: TrackPart,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> TrackPart {
        var low = first
        var range = TimeBisection(
            of: time,
            from: (first.found.position, first.time),
            upTo: (byteCount, nil),
            nearness: Self.nearness
        )
        while !range.isNear {
            if range.byteCount <= Self.nextFragmentDistance {
                guard let next = try nextPart(of: track, from: low.found.end, read), next.time <= time else {
                    return low
                }
                low = next
                range.advance(to: next.found.position, time: next.time)
            }
            guard range.byteCount > 1 else { return low }
            let middle = range.probe()
            let found = try reader.firstFragment(in: middle..<range.high.position, read)
            // The samples of the track may begin in a later fragment.
            var probed = found.flatMap { part(of: track, in: $0) }
            if let found, probed == nil { probed = try nextPart(of: track, from: found.end, read) }
            if let probed, probed.time <= time, probed.found.position < range.high.position {
                low = probed
                range.advance(to: probed.found.position, time: probed.time)
            } else {
                range.limit(to: middle, time: probed?.time)
            }
        }
        return low
    }

    private mutating func part(of track: UInt32, in found: LocatedFragment) -> TrackPart? {
        guard let run = found.fragment.runs[track] else { return nil }
        guard let time = run.start else {
            hasUnplacedFragments = true
            return nil
        }
        return TrackPart(found: found, time: time, firstSyncTime: run.firstSyncOffset.map { time + $0 })
    }

    /// The first fragment with samples of a track, in the boxes from a position on.
    private mutating func nextPart<Failure: Error>(
        of track: UInt32,
        from position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> TrackPart? {
        var at = position
        for _ in 0..<FragmentReader.boxLimit {
            guard let found = try reader.nextFragment(from: at, read) else { return nil }
            if let part = part(of: track, in: found) { return part }
            at = found.end
        }
        return nil
    }

    // MARK: The list at the end

    private mutating func readList<Failure: Error>(
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> SyncSampleList {
        if let list { return list }
        var found = SyncSampleList()
        let last = try read(max(0, byteCount - 16), 16)
        // `mfro`, the last box of `mfra`, states the length of `mfra` (§8.8.11).
        if last.count == 16, last.span.bigEndian32(at: 4) == ("mfro" as BoxType).code {
            let size = Int64(last.span.bigEndian32(at: 12))
            if size >= 24, size <= byteCount - reader.start {
                end = byteCount - size
                if size <= Self.listLimit { found = SyncSampleList(try read(end, Int(size))) }
            }
        }
        list = found
        return found
    }
}
