// SPDX-License-Identifier: Apache-2.0

/// Decides which byte ranges of a source to request. Pure: callers pass in the cached ranges, the running requests and
/// the readers' activity; the result is a list of requests to start, shorten or cancel.
package struct FetchPlanner: Sendable {
    package struct Limits: Hashable, Sendable {
        package var smallest: Int64 = 256 << 10
        package var largest: Int64 = 8 << 20
        /// A cached range of at most this length inside a request is fetched again, because splitting the request would
        /// cost more.
        package var gap: Int64 = 128 << 10
        /// A reader waits for a running fetch that is at most this far behind the reader's offset.
        package var waitDistance: Int64 = 768 << 10
        /// A fetch that no reader needs is not cancelled if at most this many bytes remain.
        package var rest: Int64 = 128 << 10
        /// A long range that a reader waits for is fetched by parallel requests of at least this length.
        package var smallestPart: Int64 = 512 << 10
        /// The same for an announced range. Its requests use connections that have been idle, each of which takes
        /// several round trips to deliver more.
        package var smallestAnnouncedPart: Int64 = 150 << 10
        /// The maximum number of these parallel requests. A request that reads ahead starts only while fewer are
        /// running.
        package var parts: Int64 = 4
        /// The maximum number of bytes in flight when an announced read is requested. Several connections at full speed
        /// overflow the queue of a slow link, and retransmitting the lost packets takes longer than waiting.
        package var burst: Int64 = 640 << 10
        /// The same when the parts of a long announced read are requested by connections that already send fast.
        package var divisionBurst: Int64 = 512 << 10
        /// A place is forgotten once its reader has read this many bytes elsewhere.
        package var absence: Int64 = 1 << 20

        package init() {}
    }

    /// A running request.
    package struct Fetch: Hashable, Sendable {
        package let id: UInt64
        /// The bytes not yet received.
        package var range: Range<Int64>

        package init(id: UInt64, range: Range<Int64>) {
            self.id = id
            self.range = range
        }
    }

    package enum Action: Hashable, Sendable {
        case start(Range<Int64>, isUrgent: Bool)
        /// The request delivers no bytes from this offset on, because another request fetches them.
        case cut(UInt64, at: Int64)
        case cancel(UInt64)
    }

    /// What a reader has read at one place.
    private struct Visit {
        /// The number of consecutive bytes read before the place.
        var run: Int64 = 0
        /// Whether the reader has come back to the place after reading elsewhere.
        var hasReturned = false
    }

    /// A place at which a reader has read before. Where streams are stored apart, a demuxer reads at several places in
    /// turn.
    private struct OtherPlace {
        let place: Int64
        let visit: Visit
        /// How many bytes the reader has read elsewhere since.
        var absence: Int64 = 0
    }

    private struct Reader {
        /// The bytes that the reader waits for; empty, at the end of the bytes read, if it does not wait.
        var place: Range<Int64>
        /// The end of the range that the reader last waited for.
        var goal: Int64 = 0
        /// The same while the reader is still at that range, otherwise 0: a reader may receive a long range in many
        /// pieces.
        var rest: Int64 = 0
        /// What it has read at `place`.
        var visit = Visit()
        /// Other places that the reader has read at, the last one first.
        var others: [OtherPlace] = []
        /// Reads that the reader has announced, until they have been fetched.
        var expected: [Range<Int64>] = []

        var isWaiting: Bool { !place.isEmpty }
    }

    /// The number of other places that are remembered per reader: a demuxer reads few streams.
    private static let otherPlaces = 7

    private let limits: Limits
    /// How many bytes one second of playback needs on average; `nil` if unknown, such as before a source is open.
    package var playbackBytesPerSecond: Double?
    private var readers: [UInt64: Reader] = [:]

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Records that a reader waits for bytes that are not all cached.
    package mutating func readerWaits(_ reader: UInt64, for range: Range<Int64>) {
        move(reader, to: range)
        readers[reader]?.goal = range.upperBound
        readers[reader]?.rest = range.upperBound
    }

    /// Records that a reader has read bytes.
    package mutating func readerRead(_ reader: UInt64, _ range: Range<Int64>) {
        move(reader, to: range)
        guard var known = readers[reader] else { return }
        known.visit.run += Int64(range.count)
        for other in known.others.indices { known.others[other].absence += Int64(range.count) }
        known.others.removeAll { $0.absence > limits.absence }
        // The announced bytes around those read are still expected.
        known.expected = known.expected.flatMap { expected in
            guard expected.overlaps(range) else { return [expected] }
            return [
                expected.lowerBound..<max(range.lowerBound, expected.lowerBound),
                min(range.upperBound, expected.upperBound)..<expected.upperBound,
            ]
        }.filter { !$0.isEmpty }
        known.place = range.upperBound..<range.upperBound
        readers[reader] = known
    }

    /// Records the bytes that a reader announces. They replace those announced before.
    package mutating func readerExpects(_ reader: UInt64, _ ranges: [Range<Int64>]) {
        readers[reader, default: Reader(place: 0..<0)].expected = ranges
    }

    package mutating func readerLeft(_ reader: UInt64) { readers[reader] = nil }

    /// Whether any reader has read, waited or announced reads.
    package var hasReaders: Bool { !readers.isEmpty }

    private mutating func move(_ reader: UInt64, to range: Range<Int64>) {
        var known = readers[reader] ?? Reader(place: range)
        // A demuxer that reads sequentially also makes short skips forward and backward.
        func isNear(_ place: Int64) -> Bool { abs(range.lowerBound - place) <= limits.smallest }
        if !isNear(known.place.lowerBound) {
            let left = OtherPlace(place: known.place.lowerBound, visit: known.visit)
            let returned = known.others.firstIndex { isNear($0.place) }.map { known.others.remove(at: $0) }
            known.visit = Visit(run: returned?.visit.run ?? 0, hasReturned: returned != nil)
            known.rest = 0
            known.others = [left] + known.others.prefix(Self.otherPlaces - 1)
        }
        known.place = range
        readers[reader] = known
    }

    /// The length of one request for a reader that has read `run` consecutive bytes.
    private func requestLength(_ run: Int64, _ bytesPerSecond: Double?) -> Int64 {
        // About one second of transfer, so that a seek wastes no more.
        let second = bytesPerSecond.map { Int64(min($0, Double(limits.largest))) } ?? limits.largest
        return max(limits.smallest, min(run, second, limits.largest))
    }

    /// The length of each request that reads ahead, and how many of them cover the read-ahead.
    private func readAhead(_ run: Int64, _ bytesPerSecond: Double?) -> (length: Int64, count: Int64) {
        let length = requestLength(run, bytesPerSecond)
        // Two requests keep a link busy, unless packet loss or the server limits each connection.
        guard let needed = playbackBytesPerSecond, let bytesPerSecond else { return (length, 2) }
        // If the bandwidth hardly suffices for playback, such a limit is assumed, and more connections are used. They
        // differ in speed, so more is read ahead.
        if bytesPerSecond < 2 * needed { return (max(limits.smallest, length / 2), 2 * limits.parts) }
        // If it is plentiful, one request suffices. A seek then finds a short queue on the link.
        if bytesPerSecond > 4 * needed { return (max(limits.smallest, min(length, Int64(bytesPerSecond / 4))), 1) }
        return (length, 2)
    }

    /// The length of each parallel request for a range. `nil` if the range is too short for several requests.
    private func partLength(_ range: Range<Int64>, atLeast smallest: Int64) -> Int64? {
        let count = Int64(range.count)
        guard count > 2 * smallest else { return nil }
        let parts = min(limits.parts, count / smallest)
        return (count + parts - 1) / parts
    }

    /// - Parameters:
    ///   - byteCount: the length of the source; `nil` if unknown.
    ///   - held: the cached ranges.
    ///   - fetches: the running requests.
    ///   - bytesPerSecond: the estimated bandwidth; `nil` if there is no estimate.
    ///   - room: how many more requests may run.
    ///   - startsSlowly: whether TCP starts slowly on every connection (RFC 5681 §3.1, §4.1).
    ///   - confines: if not `nil`, requests are limited to these ranges.
    package mutating func plan(
        byteCount: Int64?,
        held: RangeSet64,
        fetches: [Fetch],
        bytesPerSecond: Double? = nil,
        room: Int,
        startsSlowly: Bool = false,
        confines: [Range<Int64>]? = nil
    ) -> [Action] {
        let end = byteCount ?? .max
        forgetExpected(in: held, end)
        let demands = demands(end, bytesPerSecond)
        var actions: [Action] = []
        var running = fetches
        for fetch in fetches where isUnneeded(fetch, demands) {
            actions.append(.cancel(fetch.id))
            running.removeAll { $0.id == fetch.id }
        }
        var room = room + fetches.count - running.count
        var isAnnouncedReadDelayed = false
        for demand in demands.flatMap({ $0.confined(to: confines) }) {
            // A source that is being opened needs announced reads first: a read-ahead would take the room that they
            // wait for, and each of them would then be requested only once a reader waits for it.
            if isAnnouncedReadDelayed, !demand.isUrgent, playbackBytesPerSecond == nil { continue }
            repeat {
                // Requests that read ahead leave a connection for readers that wait.
                guard room > 0, demand.isUrgent || running.count < limits.parts,
                    let range = missing(of: demand, held, running)
                else { break }
                if demand.canWait, !fits(range, of: demand, beside: running, startsSlowly: startsSlowly) {
                    isAnnouncedReadDelayed = true
                    break
                }
                actions += start(range, isUrgent: demand.isUrgent, &running)
                room -= 1
            } while demand.isUrgent
        }
        return actions
    }

    /// Whether an announced read, or a part of it, can be requested beside the running requests.
    private func fits(_ range: Range<Int64>, of demand: Demand, beside running: [Fetch], startsSlowly: Bool) -> Bool {
        // All parts are requested at once if connections begin slowly, or if a part takes long anyway.
        let isAtOnce = demand.isDivided && (startsSlowly || demand.requestLength > limits.burst)
        let others = running.filter { !isAtOnce || !$0.range.overlaps(demand.range) }
        let coming = others.reduce(0) { $0 + Int64($1.range.count) }
        let limit = demand.isDivided && !isAtOnce ? limits.divisionBurst : limits.burst
        return coming == 0 || coming + min(Int64(range.count), limits.burst / 2) <= limit
    }

    /// Starts a request. Cuts the running request that would fetch the same bytes later.
    private func start(_ range: Range<Int64>, isUrgent: Bool, _ running: inout [Fetch]) -> [Action] {
        var actions: [Action] = []
        var range = range
        if let fetch = running.firstIndex(where: { $0.range.contains(range.lowerBound) }) {
            let id = running[fetch].id
            let old = running[fetch].range
            actions.append(.cut(id, at: range.lowerBound))
            running[fetch].range = old.lowerBound..<range.lowerBound
            range = range.lowerBound..<max(range.upperBound, old.upperBound)
        }
        actions.append(.start(range, isUrgent: isUrgent))
        running.append(Fetch(id: .max, range: range))
        return actions
    }

    /// Forgets announced bytes that have been fetched, even if they are evicted before they are read.
    private mutating func forgetExpected(in held: RangeSet64, _ end: Int64) {
        for (id, reader) in readers where !reader.expected.isEmpty {
            readers[id]?.expected = reader.expected.filter { !held.contains($0.clamped(to: 0..<end)) }
        }
    }

    private struct Demand {
        /// The bytes wanted, including cached ones.
        let range: Range<Int64>
        let isUrgent: Bool
        /// Whether the request must not extend beyond the range, because nearby bytes will not be read soon.
        var isExact = false
        /// Whether several requests of `requestLength` fetch an urgent range, instead of one.
        var isDivided = false
        /// Whether no reader waits for the range yet, so that the request must fit beside the others.
        var canWait = false
        /// The length of each request for this range.
        let requestLength: Int64
        /// The end of the source.
        let end: Int64

        /// The parts of the demand within `ranges`; the whole demand if `ranges` is `nil`.
        func confined(to ranges: [Range<Int64>]?) -> [Demand] {
            guard let ranges else { return [self] }
            return ranges.map { range.clamped(to: $0) }.filter { !$0.isEmpty }.map {
                Demand(
                    range: $0,
                    isUrgent: isUrgent,
                    isExact: isExact,
                    canWait: canWait,
                    requestLength: Int64($0.count),
                    end: $0.upperBound
                )
            }
        }
    }

    private func announcement(_ range: Range<Int64>, _ end: Int64, canWait: Bool) -> Demand {
        let range = range.clamped(to: 0..<end)
        let part = partLength(range, atLeast: limits.smallestAnnouncedPart)
        return Demand(
            range: range,
            isUrgent: true,
            isExact: true,
            isDivided: part != nil,
            canWait: canWait,
            requestLength: part ?? Int64(range.count),
            end: end
        )
    }

    /// The ranges that readers wait for, then the announced ranges, then the read-ahead.
    private func demands(_ end: Int64, _ bytesPerSecond: Double?) -> [Demand] {
        let readers = readers.sorted { $0.key < $1.key }.map(\.value)
        let block = RangeCache.blockByteCount
        // A demuxer reads blocks one after another; a longer read may need more than what is announced around its
        // start.
        let isShort = { (announced: Range<Int64>, isBlock: Bool) in
            announced.count <= block
                || isBlock && partLength(announced, atLeast: limits.smallestAnnouncedPart) == nil
        }
        let urgent = readers.filter(\.isWaiting).map { reader in
            let range = reader.place.clamped(to: 0..<end)
            // The bytes that one reader waits for may be part of a longer read that another reader has announced.
            let own = reader.expected.first { $0.contains(range.lowerBound) }
            let isBlock = range.count <= block
            let short = readers.flatMap(\.expected).filter { isShort($0, isBlock) && $0.contains(range.lowerBound) }
            if let announced = (short + [own].compactMap(\.self)).max(by: { $0.upperBound < $1.upperBound }) {
                return announcement(range.lowerBound..<announced.upperBound, end, canWait: false)
            }
            let part = partLength(range, atLeast: limits.smallestPart)
            return Demand(
                range: range,
                isUrgent: true,
                isDivided: part != nil,
                requestLength: part ?? requestLength(reader.visit.run, bytesPerSecond),
                end: end
            )
        }
        let expected = readers.flatMap(\.expected).map { announcement($0, end, canWait: true) }
        // Read ahead only for sequential readers, and only once the bytes that they need next have arrived.
        let ahead = readers.filter { $0.visit.run >= limits.smallest && $0.expected.isEmpty }.map { reader in
            let start = min(max(reader.place.upperBound, reader.rest), end)
            let (requestLength, count) = readAhead(reader.visit.run, bytesPerSecond)
            let range = start..<min(start + count * requestLength, end)
            return Demand(range: range, isUrgent: false, requestLength: requestLength, end: end)
        }
        return (urgent + expected + ahead).filter { !$0.range.isEmpty }
    }

    /// The next request for a demand. `nil` if all its bytes are cached or will soon be received.
    private func missing(of demand: Demand, _ held: RangeSet64, _ running: [Fetch]) -> Range<Int64>? {
        var covered = held
        for fetch in running {
            // Bytes that a reader waits for get their own request if a running fetch is too far behind them.
            let soon = fetch.range.lowerBound &+ limits.waitDistance
            if demand.isUrgent, soon < demand.range.lowerBound { continue }
            covered.insert(fetch.range)
        }
        guard let first = covered.firstGap(in: demand.range) else { return nil }
        // Start at the beginning of the cache block, because demuxers make short skips backward.
        let block = demand.isExact ? first.lowerBound : first.lowerBound & -Int64(RangeCache.blockByteCount)
        let start = max(block, covered.startOfGap(at: first.lowerBound))
        // Read ahead in requests of full length: many small ones would cost more.
        if !demand.isUrgent, demand.range.upperBound - start < demand.requestLength,
            demand.range.upperBound - start < limits.largest,
            start > demand.range.lowerBound
        {
            return nil
        }
        return start..<stop(start, demand, held, running)
    }

    /// The end of a request: at its full length, the next running request or the first cached range longer than
    /// `limits.gap`.
    private func stop(_ start: Int64, _ demand: Demand, _ held: RangeSet64, _ running: [Fetch]) -> Int64 {
        let isWhole = demand.isUrgent && !demand.isDivided
        var stop = min(max(start + demand.requestLength, isWhole ? demand.range.upperBound : 0), demand.end)
        if demand.isExact { stop = min(stop, demand.range.upperBound) }
        if !demand.isUrgent { stop = min(stop, demand.range.upperBound) }
        for fetch in running where fetch.range.lowerBound > start { stop = min(stop, fetch.range.lowerBound) }
        var place = start
        while let gap = held.firstGap(in: place..<stop) {
            let behind = held.firstHeld(in: gap.lowerBound..<stop)
            guard let behind else { return stop }
            // The cached range reaches the stop or is longer than the limit: end the request before it.
            if behind.upperBound >= stop || Int64(behind.count) > limits.gap { return behind.lowerBound }
            place = behind.upperBound
        }
        return max(place, start + 1)
    }

    private func isUnneeded(_ fetch: Fetch, _ demands: [Demand]) -> Bool {
        guard Int64(fetch.range.count) > limits.rest, !demands.contains(where: { $0.range.overlaps(fetch.range) })
        else {
            return false
        }
        // A reader that has just read bytes will probably soon wait for the bytes after them, and certainly for the
        // rest of the range that it last waited for.
        return !readers.values.contains { reader in
            // The same holds for each place of a reader that reads at several places in turn, unless it is at a new
            // place after a seek.
            if reader.visit.hasReturned,
                reader.others.contains(where: { $0.visit.hasReturned && isNext(fetch, $0.place) })
            {
                return true
            }
            let place = reader.place.upperBound
            if place < fetch.range.upperBound, fetch.range.lowerBound < reader.goal { return true }
            return isNext(fetch, place)
        }
    }

    /// Whether a fetch delivers the bytes at a place soon, or has just delivered those before it.
    private func isNext(_ fetch: Fetch, _ place: Int64) -> Bool {
        fetch.range.lowerBound &- limits.waitDistance <= place && place <= fetch.range.upperBound
    }
}
