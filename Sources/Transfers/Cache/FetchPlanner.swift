// SPDX-License-Identifier: Apache-2.0

/// Decides which bytes of a source are fetched, by which requests. Pure: it is told what is held, what is under way and
/// what the readers do, and answers with requests to start and to end.
package struct FetchPlanner: Sendable {
    package struct Limits: Hashable, Sendable {
        package var smallest: Int64 = 256 << 10
        package var largest: Int64 = 8 << 20
        /// A gap of held bytes that is read again rather than ended for, because a new request costs more.
        package var gap: Int64 = 128 << 10
        /// What a reader may be away from the point that a fetch has reached and still wait for it.
        package var patience: Int64 = 768 << 10
        /// A fetch that nobody wants is left to end by itself if it has no more than this to go.
        package var rest: Int64 = 128 << 10

        package init() {}
    }

    /// A request that is under way.
    package struct Fetch: Hashable, Sendable {
        package let id: UInt64
        /// Not yet received.
        package var range: Range<Int64>

        package init(id: UInt64, range: Range<Int64>) {
            self.id = id
            self.range = range
        }
    }

    package enum Action: Hashable, Sendable {
        case start(Range<Int64>, isUrgent: Bool)
        /// Takes no byte from here on: another request brings it.
        case cut(UInt64, at: Int64)
        case cancel(UInt64)
    }

    private struct Reader {
        /// The bytes that the reader waits for, or the point behind those that it has read.
        var place: Range<Int64>
        /// The bytes read one behind the other up to there.
        var run: Int64 = 0

        var isWaiting: Bool { !place.isEmpty }
    }

    private let limits: Limits
    private var readers: [UInt64: Reader] = [:]

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// A reader waits for bytes that are not all held.
    package mutating func waits(_ reader: UInt64, for range: Range<Int64>) { move(reader, to: range) }

    /// A reader has got bytes.
    package mutating func got(_ reader: UInt64, _ range: Range<Int64>) {
        move(reader, to: range)
        readers[reader]?.run += Int64(range.count)
        readers[reader]?.place = range.upperBound..<range.upperBound
    }

    package mutating func leaves(_ reader: UInt64) { readers[reader] = nil }

    private mutating func move(_ reader: UInt64, to range: Range<Int64>) {
        var known = readers[reader] ?? Reader(place: range)
        // A demuxer steps over what it does not need, and back by a little, while it reads on.
        let isNear = abs(range.lowerBound - known.place.lowerBound) <= limits.smallest
        if !isNear { known.run = 0 }
        known.place = range
        readers[reader] = known
    }

    /// How much is asked for at once for a reader that has read this much in a run, and how far ahead of it.
    private func reach(_ run: Int64, _ bytesPerSecond: Double?) -> Int64 {
        // About a second, so that a seek wastes no more.
        let second = bytesPerSecond.map { Int64(min($0, Double(limits.largest))) } ?? limits.largest
        return max(limits.smallest, min(run, second, limits.largest))
    }

    /// - Parameters:
    ///   - byteCount: of the source; `nil` if it is not known.
    ///   - held: what is in the cache.
    ///   - fetches: what is under way.
    ///   - bytesPerSecond: the estimate of the bandwidth; `nil` without one.
    ///   - room: how many requests may be added.
    package func plan(
        byteCount: Int64?,
        held: RangeSet64,
        fetches: [Fetch],
        bytesPerSecond: Double? = nil,
        room: Int
    ) -> [Action] {
        let end = byteCount ?? .max
        let wishes = wishes(end, bytesPerSecond)
        var actions: [Action] = []
        var running = fetches
        for fetch in fetches where isIdle(fetch, wishes) {
            actions.append(.cancel(fetch.id))
            running.removeAll { $0.id == fetch.id }
        }
        var room = room + fetches.count - running.count
        for wish in wishes where room > 0 {
            guard var range = missing(of: wish, held, running) else { continue }
            if let fetch = running.firstIndex(where: { $0.range.contains(range.lowerBound) }) {
                let id = running[fetch].id
                let old = running[fetch].range
                actions.append(.cut(id, at: range.lowerBound))
                running[fetch].range = old.lowerBound..<range.lowerBound
                range = range.lowerBound..<max(range.upperBound, old.upperBound)
            }
            actions.append(.start(range, isUrgent: wish.isUrgent))
            running.append(Fetch(id: .max, range: range))
            room -= 1
        }
        return actions
    }

    private struct Wish {
        /// What is wanted, in whole.
        let range: Range<Int64>
        let isUrgent: Bool
        /// The length of a request that begins with it.
        let reach: Int64
        /// The end of the source.
        let end: Int64
    }

    /// What the readers want: first what they wait for, then what they will want next.
    private func wishes(_ end: Int64, _ bytesPerSecond: Double?) -> [Wish] {
        let readers = readers.sorted { $0.key < $1.key }.map(\.value)
        let urgent = readers.filter(\.isWaiting).map { reader in
            let reach = reach(reader.run, bytesPerSecond)
            return Wish(range: reader.place.clamped(to: 0..<end), isUrgent: true, reach: reach, end: end)
        }
        // Only who reads on is read ahead for.
        let ahead = readers.filter { $0.run >= limits.smallest }.map { reader in
            let reach = reach(reader.run, bytesPerSecond)
            let start = min(reader.place.upperBound, end)
            return Wish(range: start..<min(start + 2 * reach, end), isUrgent: false, reach: reach, end: end)
        }
        return (urgent + ahead).filter { !$0.range.isEmpty }
    }

    /// The next request for what a wish lacks. `nil` if nothing is lacking, or what is lacking comes soon.
    private func missing(of wish: Wish, _ held: RangeSet64, _ running: [Fetch]) -> Range<Int64>? {
        var covered = held
        for fetch in running {
            // What is further ahead than patience reaches must be asked for by itself if somebody waits for it.
            let soon = wish.isUrgent ? fetch.range.lowerBound &+ limits.patience : .max
            covered.insert(fetch.range.clamped(to: fetch.range.lowerBound..<max(fetch.range.lowerBound, soon)))
        }
        guard let first = covered.firstGap(in: wish.range) else { return nil }
        // From the block's beginning, because demuxers step back by a little.
        let block = first.lowerBound & -Int64(RangeCache.blockByteCount)
        let start = max(block, covered.startOfGap(at: first.lowerBound))
        // Half a request ahead is enough warning: smaller ones would be many.
        if !wish.isUrgent, wish.range.upperBound - start < wish.reach, wish.range.upperBound - start < limits.largest,
            start > wish.range.lowerBound
        {
            return nil
        }
        return start..<stop(start, wish, held, running)
    }

    /// Where a request ends: at its full length, or at the first held bytes that are worth ending it for.
    private func stop(_ start: Int64, _ wish: Wish, _ held: RangeSet64, _ running: [Fetch]) -> Int64 {
        var stop = min(max(start + wish.reach, wish.isUrgent ? wish.range.upperBound : 0), wish.end)
        if !wish.isUrgent { stop = min(stop, wish.range.upperBound) }
        for fetch in running where fetch.range.lowerBound > start { stop = min(stop, fetch.range.lowerBound) }
        var place = start
        while let gap = held.firstGap(in: place..<stop) {
            let behind = held.firstHeld(in: gap.lowerBound..<stop)
            guard let behind else { return stop }
            // Held up to the stop, or for longer than a gap: it ends here.
            if behind.upperBound >= stop || Int64(behind.count) > limits.gap { return behind.lowerBound }
            place = behind.upperBound
        }
        return max(place, start + 1)
    }

    private func isIdle(_ fetch: Fetch, _ wishes: [Wish]) -> Bool {
        guard Int64(fetch.range.count) > limits.rest, !wishes.contains(where: { $0.range.overlaps(fetch.range) }) else {
            return false
        }
        // A reader that has just taken bytes will soon wait for those behind them.
        return !readers.values.contains { reader in
            let place = reader.place.upperBound
            return fetch.range.lowerBound &- limits.patience <= place && place <= fetch.range.upperBound
        }
    }
}
