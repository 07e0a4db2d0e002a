// SPDX-License-Identifier: Apache-2.0

/// The running requests of a source, and their redirects. Pure.
struct RunningFetches: Sendable {
    struct Fetch: Sendable {
        /// The range of the request. A later plan may assign the end of this range to another request.
        let requested: Range<Int64>
        /// The bytes not yet received.
        fileprivate(set) var rest: Range<Int64>
        let isUrgent: Bool
        let route: RedirectPolicy
        /// `SourceRecovery.failures` at the start of the request.
        let failures: Int
        fileprivate var transfer: TransferLoop.ID?
        fileprivate(set) var response: RangeResponse?
        fileprivate(set) var refusedAddress: AddressPolicy.Refusal?
        fileprivate(set) var isCancelled = false

        /// Whether the server's answer ends before the end of the request and of the resource.
        var isShort: Bool {
            guard case .part(let range, let state) = response else { return false }
            return range.upperBound < min(requested.upperBound, state.byteCount ?? .max)
        }

        /// The range for the next `count` bytes, shorter if the request was cut. `nil` if it was cancelled.
        func room(_ count: Int) -> Range<Int64>? {
            isCancelled ? nil : rest.lowerBound..<min(rest.upperBound, rest.lowerBound &+ Int64(count))
        }
    }

    /// A request to send to the target of a redirect.
    struct Redirected: Sendable {
        let rest: Range<Int64>
        let isUrgent: Bool
        let route: RedirectPolicy
    }

    private var fetches: [UInt64: Fetch] = [:]
    private var cancelled: [TransferLoop.ID] = []
    private var redirected: [Redirected] = []

    subscript(_ id: UInt64) -> Fetch? { fetches[id] }

    var isEmpty: Bool { fetches.isEmpty }

    var transfers: [TransferLoop.ID] { fetches.values.compactMap(\.transfer) }

    /// The requests whose bytes are still needed, for the planner.
    var wanted: [FetchPlanner.Fetch] {
        fetches.filter { !$0.value.isCancelled && !$0.value.rest.isEmpty }
            .map { FetchPlanner.Fetch(id: $0.key, range: $0.value.rest) }.sorted { $0.id < $1.id }
    }

    mutating func add(_ id: UInt64, _ range: Range<Int64>, isUrgent: Bool, _ route: RedirectPolicy, failures: Int) {
        fetches[id] = Fetch(requested: range, rest: range, isUrgent: isUrgent, route: route, failures: failures)
    }

    mutating func started(_ id: UInt64, _ transfer: TransferLoop.ID) { fetches[id]?.transfer = transfer }

    mutating func answered(_ id: UInt64, _ response: RangeResponse) { fetches[id]?.response = response }

    mutating func refused(_ id: UInt64, _ refusal: AddressPolicy.Refusal?) { fetches[id]?.refusedAddress = refusal }

    /// The hosts that led to the server of a request, and its own. `nil` if there is no such request.
    func hosts(to id: UInt64) -> [String]? { fetches[id]?.route.hosts }

    /// Sets the bytes that are not yet received.
    mutating func narrow(_ id: UInt64, to rest: Range<Int64>) { fetches[id]?.rest = rest }

    /// Leaves the bytes from `end` on to another request.
    mutating func cut(_ id: UInt64, at end: Int64) {
        if let rest = fetches[id]?.rest { fetches[id]?.rest = rest.lowerBound..<end }
    }

    mutating func cancel(_ id: UInt64) {
        fetches[id]?.isCancelled = true
        if let transfer = fetches[id]?.transfer { cancelled.append(transfer) }
    }

    /// - Parameters:
    ///   - kept: a request that is not cancelled.
    ///   - rest: requests with at most this many bytes left are not cancelled either; 0 cancels all of them.
    mutating func cancelAll(except kept: UInt64? = nil, leaving rest: Int64 = 0) {
        for (id, fetch) in fetches where id != kept && (rest == 0 || Int64(fetch.rest.count) > rest) { cancel(id) }
    }

    /// The transfers that were cancelled since the last call.
    mutating func takeCancelled() -> [TransferLoop.ID] {
        defer { cancelled = [] }
        return cancelled
    }

    mutating func remove(_ id: UInt64) -> Fetch? { fetches.removeValue(forKey: id) }

    /// Queues the rest of an ended request for the target of its redirect.
    mutating func redirected(_ fetch: Fetch, to route: RedirectPolicy) {
        redirected.append(Redirected(rest: fetch.rest, isUrgent: fetch.isUrgent, route: route))
    }

    mutating func takeRedirected() -> [Redirected] {
        defer { redirected = [] }
        return redirected
    }
}
