// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// Fetches the parts of segments while the server records them, so that a segment is there as soon as it is listed.
///
/// A segment is made of its parts only if they are known to be the same bytes (`PartTrust`), and only if all of them have been
/// fetched; otherwise it is fetched as a whole.
///
/// Thread-safety: safe. Fetching blocks. Call `follow` from one thread only.
final class SegmentParts: Sendable {
    /// What a list has at one moment.
    struct Listed {
        /// The number of the list in its source.
        let list: Int
        /// The newest complete segment, and its index.
        let newest: (index: Int, segment: SegmentList.Segment)?
        /// The parts of the segment after that.
        let open: ListedParts?
    }

    /// A segment of which some parts have been fetched.
    struct Open {
        let index: Int
        let entry: SegmentList.Entry
    }

    private struct State {
        /// By list.
        var trust: [Int: PartTrust] = [:]
        var open: [Int: Open] = [:]
        /// The parts of the latest complete segments whose parts were all fetched, by list and index.
        var fetched: [Int: [Int: [ListedResource]]] = [:]
        /// The parts that were requested before they were listed.
        var hinted: Set<ListedResource> = []
        /// The end of the newest segment that was read of the leading list.
        var lastRead: MediaTime?
        var notices: [Notice] = []
    }

    /// The number of complete segments of each list whose parts are remembered.
    private static let memory = 8

    private let path: String
    private let fetcher: ListFetcher
    private let resources: any ListResources
    private let state = Locked(State())

    /// - Parameter path: as `ByteSource.path`.
    init(path: String, _ fetcher: ListFetcher, _ resources: any ListResources) {
        self.path = path
        self.fetcher = fetcher
        self.resources = resources
    }

    // MARK: Segments

    /// The plaintext of a segment, without its init segment.
    ///
    /// - Parameters:
    ///   - index: the index of the segment.
    ///   - list: the number of the list.
    func bytes(
        of segment: SegmentList.Segment,
        _ index: Int,
        in list: Int,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> [UInt8] {
        if list == 0 { state.withLock { $0.lastRead = max($0.lastRead ?? segment.end, segment.end) } }
        guard !segment.isOpen else { return try joined(segment.pieces, interrupt) }
        let parts = state.withLock { $0.fetched[list]?[index] } ?? []
        let pieces = fetcher.cached(segment.resource) == nil ? fetcher.cached(all: parts) : nil
        if let pieces, isTrusted(list) {
            fetcher.replace(parts, by: segment.resource, pieces)
            return pieces
        }
        let duration = list == 0 ? segment.duration : nil
        let bytes = try fetcher.bytes(of: segment.resource, lasting: duration, interrupt)
        if let pieces { compare(pieces, with: bytes, in: list) }
        return bytes
    }

    private func joined(_ pieces: [ListedResource], _ interrupt: InterruptFlag) throws(EngineError) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in pieces { bytes += try fetcher.bytes(of: piece, interrupt) }
        return bytes
    }

    private func compare(_ pieces: [UInt8], with segment: [UInt8], in list: Int) {
        let isSame = pieces == segment
        state.withLock { state in
            guard state.trust[list, default: PartTrust()].compared(isSame: isSame) else { return }
            let text =
                "the parts that \(path) lists have other bytes than its segments, so segments are fetched as a whole"
            state.notices.append(Notice(.info, "live.parts_unused", text))
        }
    }

    // MARK: The segment that is not complete

    /// Whether segments of a list are made of their parts.
    func isTrusted(_ list: Int) -> Bool { state.withLock { $0.trust[list]?.isGiven ?? false } }

    /// The segment of a list that is not complete, with the parts that have been fetched. `nil` if there is none, or if its parts
    /// may not have the bytes of the segment.
    func open(_ list: Int) -> Open? { state.withLock { $0.trust[list]?.isGiven == true ? $0.open[list] : nil } }

    /// A segment, which may not be complete. If it is not, its `group` is meaningless.
    ///
    /// - Parameter known: the segments of the list that are complete.
    func segment(_ index: Int, of known: SegmentList, _ list: Int) throws(EngineError) -> SegmentList.Segment {
        if index < known.segments.count { return known.segments[index] }
        guard let open = open(list), open.index == index else {
            throw EngineError(.sourceNotReadable, "segment \(index) of \(path) is not listed")
        }
        return SegmentList([open.entry], startingAt: known.duration).segments[0]
    }

    /// Whether fetching parts helps: readers are near the end of the leading list, whose parts may have the bytes of its segments.
    ///
    /// - Parameters:
    ///   - end: the end of the list.
    ///   - distance: how near.
    func areUseful(near end: MediaTime, within distance: MediaTime) -> Bool {
        state.withLock { state in
            guard state.trust[0]?.isRefused != true else { return false }
            return state.lastRead.map { end - $0 <= distance } ?? false
        }
    }

    /// Forgets what is known about the parts of a list, because another variant continues it.
    func forget(_ list: Int) {
        state.withLock { ($0.trust[list], $0.open[list], $0.fetched[list]) = (nil, nil, nil) }
    }

    /// Returns the notices that have accumulated since the last call.
    func takeNotices() -> [Notice] {
        state.withLock { state in
            defer { state.notices = [] }
            return state.notices
        }
    }

    // MARK: Fetching

    /// Fetches the listed parts that are missing, all at once, and requests the parts that the playlists hint at.
    ///
    /// - Parameter usesHints: whether parts are requested before they are listed. These arrive at the pace of the
    ///   recording, so the bandwidth cannot be measured with them.
    /// - Returns: whether a part of a segment that is not complete was fetched.
    /// - Throws: `cancelled` only. A segment of which a part is missing is fetched as a whole.
    func follow(_ lists: [Listed], usesHints: Bool, _ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        let orders = lists.flatMap { self.orders(for: $0) }
        let listed = Set(orders.flatMap { $0.resources.map { $0.resource } })
        let missing = listed.filter { fetcher.cached($0) == nil }
        let hinted = state.withLock(\.hinted)
        // What was requested before is already under way.
        let expected = Array(missing.subtracting(hinted))
        resources.expect(expected)
        let hints = usesHints ? Set(lists.compactMap { hint($0) }).subtracting(listed) : []
        resources.expect(Array(hints.subtracting(hinted)))
        resources.dismiss(Array(hinted.subtracting(missing).subtracting(hints)))
        // Even if this is cancelled, a later call or `rest` must know what was requested.
        state.withLock { $0.hinted = hints }
        defer { resources.dismiss(Array(missing)) }
        var isNew = false
        for order in orders {
            let isFetched = try fetch(order, hinted, interrupt)
            isNew = isNew || isFetched
        }
        return isNew
    }

    /// Parts are not followed now: gives up what was requested.
    func rest() {
        let hinted = state.withLock { state in
            defer { state.hinted = [] }
            return state.hinted
        }
        resources.dismiss(Array(hinted))
    }

    /// The parts of one segment that are to be fetched.
    private struct Order {
        let list: Int
        let index: Int
        let resources: [(resource: ListedResource, duration: MediaTime?)]
        /// `nil` for a complete segment.
        let open: ListedParts?
    }

    private func orders(for listed: Listed) -> [Order] {
        var orders: [Order] = []
        let (trust, open) = state.withLock { ($0.trust[listed.list] ?? PartTrust(), $0.open[listed.list]) }
        // The last parts of a segment are mostly listed together with the segment itself.
        if let newest = listed.newest, open?.index == newest.index, trust.fetches(newest.index),
            !newest.segment.pieces.isEmpty, fetcher.cached(newest.segment.resource) == nil
        {
            let pieces = Self.merged(newest.segment.pieces, open).map { (resource: $0, duration: MediaTime?.none) }
            orders.append(Order(list: listed.list, index: newest.index, resources: pieces, open: nil))
        }
        let next = (listed.newest?.index ?? -1) + 1
        if let parts = listed.open, !parts.pieces.isEmpty, trust.fetches(next) {
            let durations: [MediaTime?] = parts.durations.map { listed.list == 0 ? $0 : nil }
            let parts = open?.index == next ? parts.replacingPieces(by: Self.merged(parts.pieces, open)) : parts
            let pieces = zip(parts.pieces, durations).map { (resource: $0, duration: $1) }
            orders.append(Order(list: listed.list, index: next, resources: pieces, open: parts))
        }
        return orders
    }

    /// The parts of a segment. Those that have been fetched keep their URLs, which may be signed again for each load.
    ///
    /// - Parameter open: what has been fetched of the segment.
    private static func merged(_ pieces: [ListedResource], _ open: Open?) -> [ListedResource] {
        let known = open?.entry.pieces ?? []
        return known + pieces.dropFirst(known.count)
    }

    private func hint(_ listed: Listed) -> ListedResource? {
        let trust = state.withLock { $0.trust[listed.list] ?? PartTrust() }
        guard trust.fetches((listed.newest?.index ?? -1) + 1) else { return nil }
        return listed.open?.hint
    }

    /// - Returns: whether a part of a segment that is not complete was fetched.
    private func fetch(
        _ order: Order,
        _ hinted: Set<ListedResource>,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Bool {
        var count = 0
        for (resource, duration) in order.resources {
            let wasHinted = hinted.contains(resource)
            do throws(EngineError) {
                do throws(EngineError) {
                    _ = try fetcher.bytes(of: resource, lasting: wasHinted ? nil : duration, interrupt)
                } catch {
                    // The request may have come before the part existed.
                    guard wasHinted, error.code != .cancelled else { throw error }
                    _ = try fetcher.bytes(of: resource, interrupt)
                }
            } catch {
                if error.code == .cancelled { throw error }
                state.withLock { $0.trust[order.list, default: PartTrust()].failed(in: order.index) }
                break
            }
            count += 1
        }
        return state.withLock { state in
            guard let parts = order.open else {
                guard count == order.resources.count else { return false }
                state.trust[order.list, default: PartTrust()].completed()
                state.fetched[order.list, default: [:]][order.index] = order.resources.map { $0.resource }
                state.fetched[order.list]?[order.index - Self.memory] = nil
                return false
            }
            let known = state.open[order.list]
            guard count > (known?.index == order.index ? known?.entry.pieces.count ?? 0 : 0) else { return false }
            state.open[order.list] = Open(index: order.index, entry: SegmentList.Entry(parts, first: count))
            return true
        }
    }
}
