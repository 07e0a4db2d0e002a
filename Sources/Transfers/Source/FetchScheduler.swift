// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The state of an `HTTPSource`: its readers, its requests, and what the server's responses reported. Pure except that
/// it wakes readers; times are in nanoseconds of CLOCK_MONOTONIC.
struct FetchScheduler: Sendable {
    /// A request to send.
    struct PlannedRequest {
        let id: UInt64
        let request: TransferRequest
        let stallLimits: StallLimits
        let pause: Duration
        let isUrgent: Bool
    }

    private var configuration: HTTPSourceConfiguration
    private var planner: FetchPlanner
    private var retries: RetryPolicy
    private var addresses: AddressPolicy
    private var meter = BandwidthMeter()
    private var fetches: [UInt64: Fetch] = [:]
    private var readers: [UInt64: WakeSignal] = [:]
    private var waiting: [UInt64: Range<Int64>] = [:]
    private var lastID: UInt64 = 0
    private var failures = 0
    private var notBefore: Int64 = 0
    /// The target of redirects, for later requests.
    private var pinned: RedirectPolicy?
    private(set) var failure: SourceFailure?
    /// When the source may be tried again after its failure.
    private var revivalTime: Int64 = 0
    /// Redirects to follow at once.
    private var continued: [(rest: Range<Int64>, isUrgent: Bool, route: RedirectPolicy)] = []
    private var cancelled: [TransferLoop.ID] = []
    private var counts = SourceStatistics()

    private(set) var known = ResourceState()
    private(set) var lastContact: Int64 = 0
    /// For a server that does not support ranges.
    private(set) var window: ForwardWindow?
    /// The readers that do not move the window.
    private var followers: Set<UInt64> = []
    private(set) var waitReason: SourceWait?
    /// The last reason that was taken.
    private var takenWait: SourceWait?

    init(_ configuration: HTTPSourceConfiguration, cacheByteLimit: Int) {
        self.configuration = configuration
        var limits = configuration.fetches
        // Read-ahead must not evict bytes that are about to be read.
        limits.largest = max(limits.smallest, min(limits.largest, Int64(cacheByteLimit / 8)))
        planner = FetchPlanner(limits)
        retries = RetryPolicy(configuration.retries)
        addresses = AddressPolicy(ownPorts: configuration.ownPorts, ledBy: configuration.leadingScope)
    }

    /// Whether any offset can be requested.
    var isSeekable: Bool { window == nil }

    var shownURL: String { configuration.request.url.shown }

    /// The request that is sent now, after redirects.
    var currentRequest: TransferRequest {
        (pinned ?? RedirectPolicy(configuration.request.url)).request(configuration.request)
    }

    /// The highest scope of an address that was connected.
    var scope: AddressScope { addresses.highest }

    var statistics: SourceStatistics {
        var counts = counts
        counts.bandwidth = meter.estimates
        return counts
    }
}

/// Readers.
extension FetchScheduler {
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// The reason for waiting, if it has changed since the last call.
    mutating func takeWaitChange() -> SourceWait?? {
        guard waitReason != takenWait else { return nil }
        takenWait = waitReason
        return .some(waitReason)
    }

    mutating func addReader(_ wake: WakeSignal, isFollower: Bool) -> UInt64 {
        lastID += 1
        readers[lastID] = wake
        if isFollower { followers.insert(lastID) }
        return lastID
    }

    mutating func removeReader(_ reader: UInt64) {
        readers[reader] = nil
        waiting[reader] = nil
        followers.remove(reader)
        planner.readerLeft(reader)
        // What can be received only once is not cancelled between two readers, but with the source.
        if readers.isEmpty, isSeekable { cancelAll() }
    }

    private mutating func moved(_ reader: UInt64, to position: Int64) {
        if !followers.contains(reader) { window?.reached(position) }
    }

    /// Whether there is room for more bytes.
    mutating func hasRoom() -> Bool { window?.takesMore() ?? true }

    /// The paused transfers that have to go on.
    mutating func takeResumed() -> [TransferLoop.ID] { window?.takeResumption() == true ? transfers : [] }

    /// The transfers that are running.
    var transfers: [TransferLoop.ID] { fetches.values.compactMap(\.transfer) }

    private mutating func cancelAll() {
        cancelled += transfers
        for id in fetches.keys { fetches[id]?.isCancelled = true }
    }

    mutating func expect(_ ranges: [Range<Int64>], for reader: UInt64) { planner.readerExpects(reader, ranges) }

    func isEnd(_ offset: Int64) throws(SourceFailure) -> Bool {
        if let failure, failure.kind == .changed { throw failure }
        return known.byteCount.map { offset >= $0 } ?? false
    }

    mutating func didRead(_ reader: UInt64, _ range: Range<Int64>) {
        waiting[reader] = nil
        counts.bytesRead += Int64(range.count)
        planner.readerRead(reader, range)
        moved(reader, to: range.upperBound)
    }

    /// - Returns: whether the reader has to wait.
    mutating func wait(
        _ reader: UInt64,
        for range: Range<Int64>,
        held: RangeSet64,
        now: Int64
    ) throws(SourceFailure) -> Bool {
        reviveIfDue(now)
        if let failure { throw failure }
        if known.byteCount.map({ range.lowerBound >= $0 }) ?? false { return false }
        if held.firstHeld(in: range)?.lowerBound == range.lowerBound { return false }
        if let window, range.lowerBound < window.newest {
            let kept = window.newest - (held.firstHeld(in: window.limits.head..<window.newest)?.lowerBound ?? 0)
            throw SourceFailure(
                .notSeekable,
                "byte \(range.lowerBound) of \(shownURL); only the last \(kept) of \(window.newest) bytes are kept"
            )
        }
        moved(reader, to: range.lowerBound)
        waiting[reader] = range
        planner.readerWaits(reader, for: range)
        return true
    }

    /// Forgets a failure that may have passed, such as an unreachable server.
    private mutating func reviveIfDue(_ now: Int64) {
        guard let failure, failure.mayPass else { return }
        if revivalTime == 0 { revivalTime = now + Int64(configuration.revival / .nanoseconds(1)) }
        if now >= revivalTime { refresh(configuration.request) }
    }

    private func wakeAll() { for wake in readers.values { wake.call() } }

    private mutating func fail(_ kind: SourceFailure.Kind, _ detail: String) {
        failure = SourceFailure(kind, detail)
        cancelAll()
        wakeAll()
    }

    /// What was received once from a server without ranges is all there will be. Its failure stays.
    mutating func endWindow() {
        guard window?.isEnded == false else { return }
        known.byteCount = window?.newest
        window?.ended()
        cancelAll()
        wakeAll()
    }

    mutating func refresh(_ request: TransferRequest) {
        configuration.request = request
        if failure?.kind != .changed { failure = nil }
        retries = RetryPolicy(configuration.retries)
        revivalTime = 0
        pinned = nil
        notBefore = 0
        waitReason = nil
    }

    mutating func retryNow() -> [TransferLoop.ID] {
        notBefore = 0
        return transfers
    }
}

/// Requests.
extension FetchScheduler {
    /// The requests to send now. The caller must start each of them.
    mutating func nextRequests(held: RangeSet64, now: Int64) -> [PlannedRequest] {
        guard failure == nil else { return [] }
        var requests: [PlannedRequest] = []
        for (rest, isUrgent, route) in continued { addRequest(rest, isUrgent, route, now, &requests) }
        continued = []
        guard failure == nil else { return requests }
        if isSeekable { planRanges(held, now, &requests) } else { planWholeBody(held, now, &requests) }
        return requests
    }

    private mutating func planRanges(_ held: RangeSet64, _ now: Int64, _ requests: inout [PlannedRequest]) {
        let running = fetches.filter { !$0.value.isCancelled && !$0.value.rest.isEmpty }
            .map { FetchPlanner.Fetch(id: $0.key, range: $0.value.rest) }.sorted { $0.id < $1.id }
        // After a failure, a single request tests whether the server is back. One that is silent delays no other.
        let most =
            switch waitReason {
            case nil, .silent: configuration.parallel
            case .retrying: 1
            }
        let plan = planner.plan(
            byteCount: known.byteCount,
            held: held,
            fetches: running,
            bytesPerSecond: meter.bytesPerSecond,
            room: max(0, most - running.count)
        )
        for action in plan {
            switch action {
            case .start(let range, let isUrgent): addRequest(range, isUrgent, pinned, now, &requests)
            case .cut(let id, let end):
                if let rest = fetches[id]?.rest { fetches[id]?.rest = rest.lowerBound..<end }
            case .cancel(let id):
                fetches[id]?.isCancelled = true
                if let transfer = fetches[id]?.transfer { cancelled.append(transfer) }
            }
        }
    }

    /// For a server that does not support ranges: one request fetches the whole resource from its start.
    private mutating func planWholeBody(_ held: RangeSet64, _ now: Int64, _ requests: inout [PlannedRequest]) {
        let isWanted = waiting.values.contains { wanted in
            wanted.lowerBound < known.byteCount ?? .max && held.firstHeld(in: wanted)?.lowerBound != wanted.lowerBound
        }
        guard fetches.isEmpty, isWanted, let window, !window.isEnded else { return }
        guard window.canBeginAgain(known) else {
            return fail(.cannotContinue, "GET \(shownURL): broke off after \(window.newest) bytes")
        }
        addRequest(0..<(known.byteCount ?? .max), true, pinned, now, &requests)
    }

    private mutating func addRequest(
        _ range: Range<Int64>,
        _ isUrgent: Bool,
        _ route: RedirectPolicy?,
        _ now: Int64,
        _ requests: inout [PlannedRequest]
    ) {
        let route = route ?? RedirectPolicy(configuration.request.url)
        if let refusal = addresses.judge(route.url) { return fail(.address(refusal), route.url.shown) }
        guard configuration.access.allows(route.url.origin.host) else { return fail(.setting, route.url.shown) }
        lastID += 1
        fetches[lastID] = Fetch(requested: range, rest: range, isUrgent: isUrgent, route: route, failures: failures)
        var request = route.request(configuration.request)
        request.range = isSeekable ? .bytes(range) : .whole
        // With a tag (`If-Range`) the server responds with 200 if the resource has changed.
        request.validator = isSeekable ? known.tag : nil
        request.byteLimit = isSeekable && known.byteCount == nil ? .max : Int64(range.count)
        counts.requests += 1
        let pause = Duration.nanoseconds(max(0, notBefore - now))
        let stallLimits = configuration.stallLimits
        requests.append(
            PlannedRequest(id: lastID, request: request, stallLimits: stallLimits, pause: pause, isUrgent: isUrgent)
        )
    }

    mutating func started(_ id: UInt64, _ transfer: TransferLoop.ID) { fetches[id]?.transfer = transfer }

    mutating func takeCancelled() -> [TransferLoop.ID] {
        defer { cancelled = [] }
        return cancelled
    }
}

/// Responses.
extension FetchScheduler {
    mutating func allows(_ address: String, _ port: Int, _ id: UInt64) -> Bool {
        guard let refusal = addresses.judge(address, port: port) else { return true }
        fetches[id]?.refusedAddress = refusal
        return false
    }

    /// - Returns: whether the body is needed.
    mutating func began(_ id: UInt64, _ head: ResponseHead, now: Int64) -> Bool {
        lastContact = now
        guard let fetch = fetches[id], !fetch.isCancelled else { return false }
        let asked: RequestedRange = isSeekable ? .bytes(fetch.requested) : .whole
        let response = RangeResponse(head, to: asked, known: known)
        fetches[id]?.response = response
        switch response {
        case .part(let range, let state):
            fetches[id]?.rest = fetch.rest.clamped(to: range)
            accept(state, fetch, now)
            return true
        case .whole(let state):
            accept(state, fetch, now)
            // Either the whole resource was requested, or the server does not support ranges.
            if state.byteCount.map({ $0 > fetch.requested.upperBound }) ?? true { goForward(with: id) }
            window?.began()
            fetches[id]?.rest = 0..<(state.byteCount ?? .max)
            return true
        case .pastEnd(let state):
            known.byteCount = known.byteCount ?? state.byteCount ?? fetch.rest.lowerBound
            wakeAll()
            return false
        case .notRanged(let state):
            known = known.merged(with: state)
            goForward(with: id)
            return false
        case .changed, .redirect, .refused, .invalid: return false
        }
    }

    /// The server does not support ranges. Requests for ranges that are still running are not wanted any more.
    private mutating func goForward(with id: UInt64) {
        guard window == nil else { return }
        for other in fetches.keys where other != id {
            fetches[other]?.isCancelled = true
            if let transfer = fetches[other]?.transfer { cancelled.append(transfer) }
        }
        window = ForwardWindow(ForwardWindow.Limits(byteCount: configuration.windowByteLimit))
    }

    private mutating func accept(_ state: ResourceState, _ fetch: Fetch, _ now: Int64) {
        known = known.merged(with: state)
        if fetch.route.isRedirected { pinned = fetch.route }
        meter.began(now: now)
    }

    /// Where the next `count` bytes of a request belong: only the first of them if it was cut. `nil` if it is not
    /// wanted any more.
    func room(_ id: UInt64, _ count: Int) -> Range<Int64>? {
        guard let fetch = fetches[id], !fetch.isCancelled else { return nil }
        return fetch.rest.lowerBound..<min(fetch.rest.upperBound, fetch.rest.lowerBound &+ Int64(count))
    }

    /// The part of a received range that is not cached yet.
    func new(of range: Range<Int64>) -> Range<Int64> { window?.new(of: range) ?? range }

    /// What is received once more is not what was received before.
    mutating func differed(_ id: UInt64) { fail(.changed, "GET \(shownURL): other bytes than before") }

    /// - Returns: whether more bytes are needed.
    mutating func received(_ id: UInt64, _ range: Range<Int64>, of count: Int, now: Int64) -> Bool {
        waitReason = nil
        lastContact = now
        counts.bytesReceived += Int64(count)
        retries.received(Int64(new(of: range).count))
        meter.received(Int64(count), now: now)
        window?.received(range)
        guard let rest = fetches[id]?.rest else { return false }
        fetches[id]?.rest = min(range.upperBound, rest.upperBound)..<rest.upperBound
        for (reader, wanted) in waiting where range.contains(wanted.lowerBound) { readers[reader]?.call() }
        return range.count == count
    }

    mutating func wentQuiet() {
        counts.silences += 1
        waitReason = .silent
    }

    mutating func ended(_ id: UInt64, _ report: TransferReport, now: Int64, wall: Int64, chance: Double) {
        guard let fetch = fetches.removeValue(forKey: id) else { return }
        if report.facts.head != nil { counts.roundTrip = report.facts.timeToFirstByte }
        switch fetch.response {
        case .part, .whole: meter.ended(now: now)
        default: break
        }
        if fetch.isCancelled || report.end == .cancelled { return }
        let detail = report.description
        switch (report.end, fetch.response) {
        case (.complete, .part), (.complete, .whole), (.declined, .part), (.declined, .whole):
            settle(fetch, report, now, chance)
        case (_, .redirect): followRedirect(fetch, report.facts.head, detail)
        case (_, .changed): fail(.changed, detail)
        case (_, .invalid(let fault)): fail(.invalid(fault), detail)
        case (_, .refused(let status, let retryAfter)):
            let pause = retryAfter.flatMap { RetryAfter.pause($0, now: wall) }
            retry(.status(status, retryAfter: pause), fetch, detail, now, chance)
        case (_, .pastEnd), (_, .notRanged): wakeAll()
        case (.refusedAddress, _): fail(.address(fetch.refusedAddress ?? .forbidden), detail)
        case (.failed(let error), _): handle(error.fault, fetch, detail, now, chance)
        default: retry(.lost, fetch, detail, now, chance)
        }
    }

    /// The server has ended a body, or the scheduler needs no more of it.
    private mutating func settle(_ fetch: Fetch, _ report: TransferReport, _ now: Int64, _ chance: Double) {
        // A reader may wait for bytes behind the end, which is known now.
        if fetch.rest.isEmpty {
            window?.ended()
            return wakeAll()
        }
        guard report.end == .complete else { return }
        if known.byteCount == nil, !isSeekable {
            known.byteCount = fetch.rest.lowerBound
            window?.ended()
            wakeAll()
        } else {
            // The body ended early without an error: it was chunked, or the connection closed.
            retry(.lost, fetch, report.description, now, chance)
        }
    }

    private mutating func followRedirect(_ fetch: Fetch, _ head: ResponseHead?, _ detail: String) {
        var route = fetch.route
        do throws(RedirectPolicy.Refusal) {
            guard let head else { throw .noLocation }
            try route.follow(head)
            continued.append((fetch.rest, fetch.isUrgent, route))
        } catch {
            fail(.redirect(error), detail)
        }
    }

    private mutating func handle(
        _ fault: TransferFault,
        _ fetch: Fetch,
        _ detail: String,
        _ now: Int64,
        _ chance: Double
    ) {
        switch fault {
        case .certificate(let fault): fail(.certificate(fault), detail)
        case .request: fail(.settings, detail)
        case .proxy: fail(.proxy, detail)
        case .name, .connection, .interrupted, .security, .response, .encoding:
            retry(.lost, fetch, detail, now, chance)
        }
    }

    private mutating func retry(
        _ cause: RetryPolicy.Failure,
        _ fetch: Fetch,
        _ detail: String,
        _ now: Int64,
        _ chance: Double
    ) {
        // Another request has failed since this one began: that failure is already counted.
        guard fetch.failures == failures else { return }
        failures += 1
        switch retries.failed(cause, isPinned: fetch.route.isRedirected, now: now, chance: chance) {
        case .retry(let pause, let target):
            counts.retries += 1
            notBefore = now + Int64(pause / .nanoseconds(1))
            if target == .original { pinned = nil }
            if case .status(let status, _) = cause {
                waitReason = .retrying(status: status)
            } else {
                waitReason = .retrying(status: nil)
            }
        case .giveUp(let reason):
            switch reason {
            case .refused(let status): fail(.refused(status), detail)
            case .notFound(let status): fail(.notFound(status), detail)
            case .busy(let status): fail(.busy(status), detail)
            case .exhausted, .final: fail(.lost, detail)
            }
        }
    }
}

/// A running request of a `FetchScheduler`.
private struct Fetch {
    /// The bytes that the request names. Later plans may leave the end of them to another request.
    let requested: Range<Int64>
    /// The bytes not yet received.
    var rest: Range<Int64>
    let isUrgent: Bool
    var route: RedirectPolicy
    /// The value of `failures` at its start: requests that fail together count as one failure.
    let failures: Int
    var transfer: TransferLoop.ID?
    var response: RangeResponse?
    var refusedAddress: AddressPolicy.Refusal?
    var isCancelled = false
}
