// SPDX-License-Identifier: Apache-2.0

/// Finds fragments of a movie by their decode times (`tfdt`), reading only around the wanted time (ISO/IEC 14496-12 §8.8).
///
/// Starts at the sync samples that the end of the file lists (`mfra`, §8.8.9). Without such a list, probes the file: a `moof`
/// box is recognized by its children. What a list claims is verified at the fragment.
///
/// Reads through a closure that returns up to the requested number of bytes at a file offset; fewer at the end of the file.
/// Times are in ticks of the track and count from the start of the movie.
package struct FragmentSearch {
    private struct Found {
        var position: Int64
        /// The end of the `moof` box.
        var end: Int64
        var fragment: MovieFragment
    }

    /// A fragment in which a track has samples.
    private struct Place {
        var found: Found
        var time: Int64
        /// The time of its first sync sample.
        var key: Int64?
    }

    /// An entry of a `tfra` box.
    private struct Mark {
        var time: Int64
        var position: Int64
    }

    /// In bytes. Within this distance, fragments are visited one after the other.
    private static let nearness: Int64 = 512 << 10
    /// In bytes. Within this distance, the next fragment may already be the end of the search.
    private static let reach: Int64 = 8 << 20
    /// The number of bytes that are searched for a fragment at once; at first the smaller one.
    private static let windows = 32 << 10...512 << 10
    /// The number of bytes at the end that are searched for the last fragments; at first the smaller one.
    private static let tails: ClosedRange<Int64> = 64 << 10...16 << 20
    private static let fragmentLimit: Int64 = 4 << 20
    /// A longer list would cost more to read than the search without it.
    private static let listLimit: Int64 = 4 << 20
    /// The number of boxes that are visited to find the next fragment of a track.
    private static let boxLimit = 1024
    /// The number of fragments that are visited to find the ends of the tracks.
    private static let lastLimit = 1 << 14

    // Constants, because they are compared at every byte.
    private static let moof = ("moof" as BoxType).code
    private static let mfhd = ("mfhd" as BoxType).code

    private let byteCount: Int64
    private let movie: FragmentedMovie
    /// The end of the movie's header, where the fragments begin.
    private let start: Int64
    /// By track ID, in the order of their times. `nil` until the end of the file has been read.
    private var marks: [UInt32: [Mark]]?
    /// The end of the fragments, as far as it is known.
    private var end: Int64

    /// - Parameters:
    ///   - byteCount: the length of the file.
    ///   - start: the end of the `moov` box.
    package init(of movie: FragmentedMovie, from start: Int64, byteCount: Int64) {
        self.movie = movie
        self.start = start
        self.byteCount = byteCount
        end = byteCount
    }

    /// The position of the last fragment in which a sync sample of a track is decoded at or before a time. `nil` if there is
    /// none.
    package mutating func fragment<Failure: Error>(
        of track: UInt32,
        atOrBefore time: Int64,
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Int64? {
        guard let timescale = movie.tracks[track]?.timescale,
            let first = try place(of: track, from: start, read), first.time <= time
        else { return nil }
        var searched = Int64.max
        var limit = time
        var step = timescale
        while true {
            // The times of a damaged file may be arbitrary; the search still ends at the first fragment.
            let begin = limit <= first.time ? first : try place(of: track, atOrBefore: limit, after: first, read)
            var found: Place?
            var next: Place? = begin
            while let place = next, place.found.position < searched, place.time <= time {
                if let key = place.key, key <= time { found = place }
                next = try self.place(of: track, from: place.found.end, read)
            }
            if let found { return found.found.position }
            if begin.found.position <= first.found.position { return nil }
            searched = begin.found.position
            limit = max(first.time, begin.time - step)
            if step < 1 << 60 { step *= 2 }
        }
    }

    /// When the tracks end, by track ID: of those that have samples in the last fragments.
    package mutating func ends<Failure: Error>(
        read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt32: Int64] {
        let steady = movie.audioAndVideoTracks
        // The last sync sample of another track may be far from the end.
        let listed = try marks(read).filter { steady.contains($0.key) }.values.compactMap(\.last?.position).max()
        if let listed, let found = try fragment(at: listed, read) {
            let ends = try ends(from: found, read)
            if steady.isSubset(of: ends.keys) { return ends }
        }
        var count = Self.tails.lowerBound
        var ends: [UInt32: Int64] = [:]
        while !steady.isSubset(of: ends.keys), count <= Self.tails.upperBound {
            let from = max(start, end - count)
            guard let found = try search(from: from, upTo: end, read) else {
                if from == start { break }
                count *= 4
                continue
            }
            ends = try self.ends(from: found, read)
            if from == start { break }
            count *= 4
        }
        return ends
    }

    private func ends<Failure: Error>(
        from first: Found,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt32: Int64] {
        var ends: [UInt32: Int64] = [:]
        var next: Found? = first
        for _ in 0..<Self.lastLimit {
            guard let found = next else { break }
            for (track, run) in found.fragment.runs {
                guard let start = run.start else { continue }
                ends[track] = max(ends[track] ?? 0, start + run.duration)
            }
            next = try fragment(from: found.end, read)
        }
        return ends
    }

    // MARK: Fragments by time

    private mutating func place<Failure: Error>(
        of track: UInt32,
        atOrBefore time: Int64,
        after first: Place,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Place {
        var low = first
        if let mark = try marks(read)[track]?.last(where: { $0.time <= time }), mark.position > first.found.position,
            let found = try fragment(at: mark.position, read), let listed = samples(of: track, in: found),
            listed.time <= time
        {
            low = listed
        } else {
            low = try probe(for: track, time, low, read)
        }
        while let next = try place(of: track, from: low.found.end, read), next.time <= time { low = next }
        return low
    }

    /// A fragment at or before a time and not far before it.
    private func probe<Failure: Error>(
        for track: UInt32,
        _ time: Int64,
        _ first: Place,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Place {
        var low = first
        // No fragment at or before the time begins at or after this position.
        var high = (position: byteCount, time: Int64?.none)
        var isGuessing = true
        while high.position - low.found.position > Self.nearness {
            if high.position - low.found.position <= Self.reach {
                guard let next = try place(of: track, from: low.found.end, read), next.time <= time else { return low }
                low = next
            }
            guard high.position - low.found.position > 1 else { return low }
            let middle = Self.middle(of: time, low, high, isGuessing: isGuessing)
            isGuessing.toggle()
            let found = try search(from: middle, upTo: high.position, read)
            // The samples of the track may begin in a later fragment.
            var probed = found.flatMap { samples(of: track, in: $0) }
            if let found, probed == nil { probed = try place(of: track, from: found.end, read) }
            if let probed, probed.time <= time, probed.found.position < high.position {
                low = probed
            } else {
                high = (middle, probed?.time ?? high.time)
            }
        }
        return low
    }

    /// The position to probe next. If `isGuessing` and the time is between those at both ends, it is interpolated, which is
    /// usually close; otherwise it is the middle, which always makes progress.
    private static func middle(
        of time: Int64,
        _ low: Place,
        _ high: (position: Int64, time: Int64?),
        isGuessing: Bool
    ) -> Int64 {
        let (start, length) = (low.found.position, high.position - low.found.position)
        guard isGuessing, let end = high.time, end > time else { return start + length / 2 }
        let share = Double(time - low.time) / Double(end - low.time)
        let guess = start + Int64(Double(length) * share) - nearness / 2
        return min(max(guess, start + 1), high.position - 1)
    }

    private func samples(of track: UInt32, in found: Found) -> Place? {
        guard let run = found.fragment.runs[track], let time = run.start else { return nil }
        return Place(found: found, time: time, key: run.firstKey.map { time + $0 })
    }

    /// The first fragment with samples of a track, in the boxes from a position on.
    private func place<Failure: Error>(
        of track: UInt32,
        from position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Place? {
        var at = position
        for _ in 0..<Self.boxLimit {
            guard let found = try fragment(from: at, read) else { return nil }
            if let place = samples(of: track, in: found) { return place }
            at = found.end
        }
        return nil
    }

    // MARK: Fragments by position

    /// The first fragment in the boxes from a position on.
    private func fragment<Failure: Error>(
        from position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Found? {
        var at = position
        for _ in 0..<Self.boxLimit {
            let head = try read(at, 16)
            guard head.count >= 8 else { return nil }
            if head.span.bigEndian32(at: 4) == Self.moof { return try fragment(at: at, read) }
            var size = Int64(head.span.bigEndian32(at: 0))
            if size == 1, head.count == 16 {
                size = head.span.bigEndian64(at: 8)
            }
            guard size >= 8, size <= byteCount - at else { return nil }
            at += size
        }
        return nil
    }

    /// The fragment that begins at a position. `nil` if none does.
    private func fragment<Failure: Error>(
        at position: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Found? {
        guard position >= start, position < byteCount else { return nil }
        let head = try read(position, 24)
        guard head.count == 24, Self.beginsFragment(head.span, 0) else { return nil }
        let size = Int64(head.span.bigEndian32(at: 0))
        guard size <= Self.fragmentLimit, size <= byteCount - position else { return nil }
        return MovieFragment(try read(position, Int(size)), of: movie).map {
            Found(position: position, end: position + size, fragment: $0)
        }
    }

    /// The first fragment that begins in a byte range. Any byte may be inside the samples of a fragment, so it is found by
    /// its first bytes.
    private func search<Failure: Error>(
        from offset: Int64,
        upTo limit: Int64,
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> Found? {
        var at = offset
        var window = Self.windows.lowerBound
        while at < limit {
            let bytes = try read(at, window)
            guard bytes.count >= 24 else { return nil }
            for place in 0...bytes.count - 24 where Self.beginsFragment(bytes.span, place) && at + Int64(place) < limit
            {
                if let found = try fragment(at: at + Int64(place), read) { return found }
            }
            at += Int64(bytes.count - 23)
            window = min(2 * window, Self.windows.upperBound)
        }
        return nil
    }

    /// Whether the bytes are those of a `moof` box whose first child is an `mfhd` box (§8.8.5).
    private static func beginsFragment(_ span: Span<UInt8>, _ place: Int) -> Bool {
        span.bigEndian32(at: place + 4) == moof && span.bigEndian32(at: place) >= 24
            && span.bigEndian32(at: place + 8) == 16 && span.bigEndian32(at: place + 12) == mfhd
    }

    // MARK: The list at the end

    private mutating func marks<Failure: Error>(
        _ read: (Int64, Int) throws(Failure) -> [UInt8]
    ) throws(Failure) -> [UInt32: [Mark]] {
        if let marks { return marks }
        var found: [UInt32: [Mark]] = [:]
        let last = try read(max(0, byteCount - 16), 16)
        // `mfro`, the last box of `mfra`, states the length of `mfra` (§8.8.11).
        if last.count == 16, last.span.bigEndian32(at: 4) == ("mfro" as BoxType).code {
            let size = Int64(last.span.bigEndian32(at: 12))
            if size >= 24, size <= byteCount - start {
                end = byteCount - size
                if size <= Self.listLimit { found = Self.marks(in: try read(end, Int(size))) }
            }
        }
        marks = found
        return found
    }

    private static func marks(in list: [UInt8]) -> [UInt32: [Mark]] {
        let span = list.span
        guard let mfra = span.box("mfra", in: 0..<span.count) else { return [:] }
        var found: [UInt32: [Mark]] = [:]
        for tfra in span.boxes("tfra", in: mfra) where tfra.count >= 16 {
            let isLong = span.isLong(tfra)
            let lengths = Int(span.bigEndian32(at: tfra.lowerBound + 8) & 0x3F)
            let size = (isLong ? 16 : 8) + 3 + (lengths >> 4) + (lengths >> 2 & 3) + (lengths & 3)
            let count = min(Int(span.bigEndian32(at: tfra.lowerBound + 12)), (tfra.count - 16) / size)
            func number(_ at: Int) -> Int64 {
                isLong ? span.bigEndian64(at: at) & .max : Int64(span.bigEndian32(at: at))
            }
            let entries = (0..<count).map { index in
                let at = tfra.lowerBound + 16 + index * size
                return Mark(time: number(at), position: number(at + (isLong ? 8 : 4)))
            }
            found[span.bigEndian32(at: tfra.lowerBound + 4)] = entries.sorted { $0.time < $1.time }
        }
        return found
    }
}
