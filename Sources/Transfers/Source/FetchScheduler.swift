// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The state of an `HTTPSource`: its readers, its requests, and the properties that the server has reported. Pure
/// except that it wakes readers; times are in nanoseconds of CLOCK_MONOTONIC.
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
    private var addresses: AddressPolicy
    private var readers = SourceReaders()
    private var fetches = RunningFetches()
    private var recovery: SourceRecovery
    private var traffic: TrafficCounter
    private var lastID: UInt64 = 0
    private var resource = KnownResource()
    /// The ends of the source, while its copy on disk is being looked up.
    private var search: EdgeSearch?
    /// For a server that does not support ranges.
    private(set) var window: ForwardWindow?

    init(_ configuration: HTTPSourceConfiguration, cacheByteLimit: Int) {
        self.configuration = configuration
        var limits = configuration.fetches
        // Read-ahead must not evict bytes that are about to be read.
        limits.largest = max(limits.smallest, min(limits.largest, Int64(cacheByteLimit / 8)))
        planner = FetchPlanner(limits)
        addresses = AddressPolicy(ownPorts: configuration.ownPorts, ledBy: configuration.leadingScope)
        traffic = TrafficCounter(configuration.tally)
        recovery = SourceRecovery(configuration.retries, revival: configuration.revival)
    }
}

/// The properties of the source.
extension FetchScheduler {
    var failure: SourceFailure? { recovery.failure }
    var waitReason: SourceWait? { recovery.waitReason }
    var lastContact: Int64 { traffic.lastContact }
    var known: ResourceState { resource.state }
    /// `nil` unless the source is a file that was being written when it was opened.
    var recording: FileRecording? { resource.recording }
    /// Whether readers wait for more at the end of a recording.
    var isGrowing: Bool { recording?.isGrowing == true }
    /// The number of bytes received while the source grows; otherwise the length. 0 until the server has stated it.
    var byteCount: Int64 { window.flatMap { $0.isEnded ? nil : $0.newest } ?? known.byteCount ?? 0 }

    /// Whether any offset can be requested.
    var isSeekable: Bool { window == nil }
    var shownURL: String { configuration.request.url.shown }
    /// The request that is sent now, after redirects.
    var currentRequest: TransferRequest {
        (fetches.pinned ?? RedirectPolicy(configuration.request.url)).request(configuration.request)
    }

    /// The widest scope among the addresses that were connected to.
    var scope: AddressScope { addresses.highest }

    var statistics: SourceStatistics { traffic.statistics }
}

/// Readers.
extension FetchScheduler {
    /// The reason for waiting, if it has changed since the last call.
    mutating func takeWaitChange() -> SourceWait?? { recovery.takeWaitChange() }

    mutating func addReader(_ wake: WakeSignal, isFollower: Bool) -> UInt64 {
        lastID += 1
        readers.add(lastID, wake, isFollower: isFollower)
        return lastID
    }

    mutating func removeReader(_ reader: UInt64) {
        let isInterrupted = readers.isWaiting(reader)
        readers.remove(reader)
        planner.readerLeft(reader)
        // The transfer of a source that can be received only once ends with the source, not between two readers.
        guard readers.isEmpty, isSeekable, isInterrupted || !isOpening else { return }
        // With protocols other than HTTP, a cancelled request costs a new login. Requests that are nearly complete
        // therefore continue: the next reader gains more from an open connection.
        fetches.cancelAll(leaving: configuration.request.url.scheme.isHTTP ? 0 : configuration.fetches.rest)
    }

    /// Whether another reader will soon read where one has left, so that the transfers continue meanwhile.
    private var isOpening: Bool { (1..<Int64(RangeCache.blockByteCount)).contains(traffic.statistics.bytesRead) }

    /// Begins to fetch the ends of the source, which identify its copy on disk.
    ///
    /// - Parameter isLikely: whether a copy probably exists, so that nothing else is fetched meanwhile.
    mutating func search(_ edges: [Range<Int64>], isLikely: Bool) {
        search = EdgeSearch(edges: edges, isLikely: isLikely)
    }

    /// Call when the lookup has ended, whether or not it found a copy.
    mutating func endSearch() {
        search = nil
        planner.readerLeft(EdgeSearch.reader)
        readers.wakeAll()
    }

    mutating func loaded(_ count: Int) { traffic.loaded(Int64(count)) }

    private mutating func moved(_ reader: UInt64, to position: Int64) {
        window?.reached(position, isFollower: readers.isFollower(reader))
    }

    /// Whether there is room for more bytes.
    mutating func hasRoom() -> Bool { window?.takesMore() ?? true }

    /// Whether its transfer lasts as long as it is read. Resources that another source names are short.
    var isEndless: Bool { window != nil && configuration.leadingScope == .forbidden }

    /// The paused transfers to resume.
    mutating func takeResumed() -> [TransferLoop.ID] { window?.takeResumption() == true ? transfers : [] }

    /// The transfers that are running.
    var transfers: [TransferLoop.ID] { fetches.transfers }

    mutating func expectPlayback(_ bytesPerSecond: Double) { planner.playbackBytesPerSecond = bytesPerSecond }

    mutating func expect(_ ranges: [Range<Int64>], for reader: UInt64) { planner.readerExpects(reader, ranges) }

    func isEnd(_ offset: Int64) throws(SourceFailure) -> Bool {
        if let failure = recovery.failure, failure.kind == .changed { throw failure }
        return resource.endsBefore(offset)
    }

    mutating func didRead(_ reader: UInt64, _ range: Range<Int64>, isHit: Bool) {
        readers.hasRead(reader)
        traffic.read(Int64(range.count), isHit: isHit)
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
        if recovery.isRevivalDue(now) { refresh(configuration) }
        if let failure = recovery.failure { throw failure }
        if resource.endsBefore(range.lowerBound) { return false }
        if held.firstHeld(in: range)?.lowerBound == range.lowerBound { return false }
        if let window, range.lowerBound < window.newest {
            let text = "only the last \(window.keptByteCount(held)) of \(window.newest) bytes are kept"
            throw SourceFailure(.notSeekable, "byte \(range.lowerBound) of \(shownURL); \(text)")
        }
        moved(reader, to: range.lowerBound)
        readers.wait(reader, for: range)
        planner.readerWaits(reader, for: range)
        return true
    }

    mutating func fail(_ kind: SourceFailure.Kind, _ detail: String) {
        recovery.fail(SourceFailure(kind, detail))
        fetches.cancelAll()
        readers.wakeAll()
    }

    /// Treats the source as a recording if its server says that it was written to recently. Parameters as for
    /// `FileRecording`.
    mutating func record(quiet: Duration, wall: Int64, now: Int64) {
        guard isSeekable else { return }
        resource.record(quiet: quiet, wall: wall, now: now)
        if recording != nil { endSearch() }
    }

    mutating func followRecording() { resource.followRecording() }

    /// Records what the server says of a recording now.
    mutating func updateRecording(_ found: ResourceState, now: Int64) {
        if !resource.update(found, now: now) { fail(.changed, "\(shownURL): it has become shorter") }
    }

    /// Ends a source that grows where it is now.
    mutating func endGrowth() {
        resource.endRecording()
        endWindow()
    }

    /// Ends a source without ranges at the bytes received so far. If the source has failed, it remains failed.
    private mutating func endWindow() {
        guard window?.isEnded == false else { return }
        resource.finish(at: window?.newest)
        window?.ended()
        recovery.ended()
        fetches.cancelAll()
        readers.wakeAll()
    }

    mutating func slide(to start: Int64) { window?.slide(to: start) }

    mutating func holdBack() { window?.holdBack() }

    /// Ends the connection of a live stream; the next read opens a new one.
    mutating func renewConnection() { if window?.isLive == true, window?.isEnded == false { fetches.cancelAll() } }

    mutating func refresh(_ other: HTTPSourceConfiguration) {
        (configuration.request, configuration.stallLimits) = (other.request, other.stallLimits)
        recovery.begin()
        fetches.pinned = nil
        // A redirect of the old URL must not take the new credentials to its origin.
        _ = fetches.takeRedirected()
        if isSeekable { fetches.cancelAll() }
    }

    mutating func retryNow(requestedByClient: Bool) -> [TransferLoop.ID] {
        recovery.endPause(requestedByClient: requestedByClient)
        return transfers
    }
}

/// Requests.
extension FetchScheduler {
    /// The requests to send now. The caller must start each of them.
    mutating func nextRequests(held: RangeSet64, now: Int64) -> [PlannedRequest] {
        guard recovery.failure == nil else { return [] }
        var requests: [PlannedRequest] = []
        for next in fetches.takeRedirected() { addRequest(next.rest, next.isUrgent, next.route, now, &requests) }
        guard recovery.failure == nil else { return requests }
        if isSeekable { planRanges(held, now, &requests) } else { planWholeBody(held, now, &requests) }
        return requests
    }

    private mutating func planRanges(_ held: RangeSet64, _ now: Int64, _ requests: inout [PlannedRequest]) {
        // Without readers, start nothing. Transfers that began when the source was opened continue, also while there is
        // only a reader that has not read yet.
        guard !readers.isEmpty, planner.hasReaders || !isOpening else { return }
        if let search, search.isLikely || traffic.statistics.bytesReceived >= EdgeSearch.patience {
            planner.readerExpects(EdgeSearch.reader, search.edges)
        }
        let running = fetches.wanted
        let plan = planner.plan(
            byteCount: resource.end,
            held: held,
            fetches: running,
            bytesPerSecond: traffic.bytesPerSecond,
            room: max(0, (recovery.isTesting ? 1 : configuration.parallel) - running.count),
            startsSlowly: traffic.startsSlowly(now: now),
            confines: search.flatMap { $0.isLikely ? $0.edges : nil }
        )
        for action in plan {
            switch action {
            case .start(let range, let isUrgent): addRequest(range, isUrgent, fetches.pinned, now, &requests)
            case .cut(let id, let end): fetches.cut(id, at: end)
            case .cancel(let id): fetches.cancel(id)
            }
        }
    }

    /// Plans for a server that does not support ranges: one request fetches the whole resource from its start.
    private mutating func planWholeBody(_ held: RangeSet64, _ now: Int64, _ requests: inout [PlannedRequest]) {
        let isWanted = readers.wanted.contains { wanted in
            wanted.lowerBound < known.byteCount ?? .max && held.firstHeld(in: wanted)?.lowerBound != wanted.lowerBound
        }
        guard fetches.isEmpty, isWanted, let window, !window.isEnded else { return }
        guard window.canBeginAgain(known) else {
            return fail(.cannotContinue, "GET \(shownURL): broke off after \(window.newest) bytes")
        }
        addRequest(0..<(known.byteCount ?? .max), true, fetches.pinned, now, &requests)
    }

    private mutating func addRequest(
        _ range: Range<Int64>,
        _ isUrgent: Bool,
        _ route: RedirectPolicy?,
        _ now: Int64,
        _ requests: inout [PlannedRequest]
    ) {
        let route = route ?? RedirectPolicy(configuration.request.url)
        if let refusal = addresses.judge(route) { return fail(.address(refusal), route.url.shown) }
        guard configuration.access.allows(route.url.origin.host) else { return fail(.setting, route.url.shown) }
        lastID += 1
        let id = lastID
        fetches.add(id, range, isUrgent: isUrgent, route, failures: recovery.failures)
        var request = route.request(configuration.request)
        request.range = isSeekable ? .bytes(range) : .whole
        request.validator = isSeekable ? resource.validator : nil
        request.fileByteCount = known.byteCount
        request.byteLimit = isSeekable && known.byteCount == nil ? .max : Int64(range.count)
        traffic.requested()
        let pause = recovery.pause(now)
        let limits = window?.isLive == true ? configuration.stallLimits.live : configuration.stallLimits
        requests.append(PlannedRequest(id: id, request: request, stallLimits: limits, pause: pause, isUrgent: isUrgent))
    }

    mutating func started(_ id: UInt64, _ transfer: TransferLoop.ID) { fetches.started(id, transfer) }
    mutating func takeCancelled() -> [TransferLoop.ID] { fetches.takeCancelled() }
}

/// Responses.
extension FetchScheduler {
    mutating func allows(_ peer: TransferPeer, _ id: UInt64) -> Bool {
        guard let hosts = fetches.hosts(to: id) else { return false }
        let refusal = addresses.judge(peer, along: hosts)
        fetches.refused(id, refusal)
        return refusal == nil
    }

    /// - Returns: whether the body is needed.
    mutating func began(_ id: UInt64, _ head: TransferHead, now: Int64) -> Bool {
        traffic.contacted(now: now)
        guard let fetch = fetches[id], !fetch.isCancelled else { return false }
        let asked = isSeekable ? RequestedRange.bytes(fetch.requested) : .whole
        let response = resource.response(head, to: asked, begunAfter: fetch.failures)
        // A response with a length does not continue a live stream, which has none: it is a page that explains why the
        // stream is unavailable.
        if window?.isLive == true, case .whole(let state) = response, state.byteCount != nil { return false }
        fetches.answered(id, response)
        switch response {
        case .part(let range, let state):
            fetches.narrow(id, to: fetch.rest.clamped(to: range))
            accept(state, fetch, now)
            return true
        case .whole(let state):
            accept(state, fetch, now)
            // Either the whole resource was requested, or the server does not support ranges.
            if state.byteCount.map({ $0 > fetch.requested.upperBound }) ?? true { goForward(with: id) }
            window?.began()
            fetches.narrow(id, to: 0..<(state.byteCount ?? .max))
            return true
        case .pastEnd(let state):
            resource.refused(at: fetch.requested.lowerBound, state)
            readers.wakeAll()
            return false
        case .notRanged(let state):
            resource.merge(state)
            goForward(with: id)
            return false
        case .changed, .redirect, .refused, .rangeIgnored, .invalid: return false
        }
    }

    /// Switches to one forward transfer, because the server does not support ranges. Cancels all other requests.
    private mutating func goForward(with id: UInt64) {
        guard window == nil else { return }
        fetches.cancelAll(except: id)
        search = nil
        resource.forgetRanges()
        window = ForwardWindow(ForwardWindow.Limits(byteCount: configuration.windowByteLimit))
    }

    private mutating func accept(_ state: ResourceState, _ fetch: RunningFetches.Fetch, _ now: Int64) {
        resource.merge(state)
        if fetch.route.isRedirected, fetch.route.first == configuration.request.url { fetches.pinned = fetch.route }
        traffic.began(now: now)
    }

    /// The meaning of a response to a request that is not one of the source's own, if the source had sent it.
    func judge(_ head: TransferHead, to asked: RequestedRange) -> RangeResponse {
        var resource = resource
        return resource.response(head, to: asked, begunAfter: recovery.failures)
    }

    /// The range for the next `count` bytes of a request, shorter if the request was cut. `nil` if the request is not
    /// needed any more.
    func room(_ id: UInt64, _ count: Int) -> Range<Int64>? { fetches[id]?.room(count) }

    /// The part of a received range that is not cached yet.
    func new(of range: Range<Int64>) -> Range<Int64> { window?.new(of: range) ?? range }

    /// Fails the source, because bytes that were received again differ from those received before.
    mutating func differed() { fail(.changed, "GET \(shownURL): its bytes differ from those received before") }

    /// Treats the source as a live stream from now on.
    ///
    /// - Returns: on the first call, its running transfers and the stall limits that apply to them now.
    mutating func becomeLive() -> ([TransferLoop.ID], StallLimits)? {
        guard window?.isLive == false else { return nil }
        window?.becomeLive()
        return (transfers, configuration.stallLimits.live)
    }

    /// - Parameters:
    ///   - count: the number of bytes received.
    ///   - isLive: whether the source is a live stream; `range` then covers only the bytes that are new.
    /// - Returns: whether more bytes are needed.
    mutating func received(
        _ id: UInt64,
        _ range: Range<Int64>,
        of count: Int,
        now: Int64,
        isLive: Bool = false
    ) -> Bool {
        traffic.received(Int64(count), now: now)
        recovery.received(Int64(new(of: range).count))
        resource.received(range)
        window?.received(range)
        if isLive {
            readers.wake(waitingIn: range)
            return fetches[id]?.isCancelled == false
        }
        guard let rest = fetches[id]?.rest else { return false }
        fetches.narrow(id, to: min(range.upperBound, rest.upperBound)..<rest.upperBound)
        readers.wake(waitingIn: range)
        return range.count == count
    }

    mutating func wentQuiet() {
        traffic.wentQuiet()
        recovery.wentQuiet()
    }

    mutating func ended(_ id: UInt64, _ report: TransferReport, now: Int64, wall: Int64, chance: Double) {
        guard let fetch = fetches.remove(id) else { return }
        traffic.ended(report.facts, hadBody: fetch.response?.hasBody ?? false, now: now)
        if fetch.isCancelled || report.end == .cancelled { return }
        let end = FetchEnd(fetch: fetch, report: report, now: now, chance: chance)
        switch end.outcome(wall: wall) {
        case .settled: settle(end)
        case .redirected: followRedirect(end)
        case .informed: readers.wakeAll()
        case .retried(let cause): retry(cause, end)
        case .failed(let kind): fail(kind, end.detail)
        }
    }

    /// Handles the end of a body that the server has completed or the scheduler has declined.
    private mutating func settle(_ end: FetchEnd) {
        // A reader may be waiting for bytes beyond the end, which is known now.
        if end.fetch.rest.isEmpty {
            window?.ended()
            readers.wakeAll()
            guard recovery.areAnswersTooShort(including: end.fetch, end.report.facts) else { return }
            return retry(.lost, end)
        }
        guard end.report.end == .complete else { return }
        if known.byteCount == nil, let window, window.isLive, window.hasProgressed {
            retry(.ended, end)
        } else if known.byteCount == nil, !isSeekable, end.report.facts.byteCount > 0 || window?.isLive != true {
            // A stream that only repeats earlier bytes has ended.
            endWindow()
        } else {
            // The body ended early without an error: it was chunked, or the connection closed.
            retry(.lost, end)
        }
    }

    private mutating func followRedirect(_ end: FetchEnd) {
        // A request of before a refresh.
        guard end.fetch.route.first == configuration.request.url else { return }
        var route = end.fetch.route
        do throws(RedirectPolicy.Refusal) {
            guard let head = end.report.facts.head else { throw .noLocation }
            try route.follow(head)
            fetches.redirected(end.fetch, to: route)
        } catch {
            fail(.redirect(error), end.detail)
        }
    }

    private mutating func retry(_ cause: RetryPolicy.Failure, _ end: FetchEnd) {
        let (failures, isPinned) = (end.fetch.failures, end.fetch.route.isRedirected)
        switch recovery.retry(cause, begunAfter: failures, isPinned: isPinned, end.now, end.chance) {
        case .counted: break
        case .retry(let target):
            traffic.retried()
            if target == .original { fetches.pinned = nil }
        case .giveUp(let kind): fail(kind == .lost ? end.exhaustion : kind, end.detail)
        }
    }
}

/// The ranges to fetch to look up the copy of a source on disk.
private struct EdgeSearch {
    /// The planner's id for the reader of these ranges.
    static let reader: UInt64 = 0
    /// If a copy is unlikely, the ends are requested only after this many bytes were received.
    static let patience: Int64 = 1 << 20

    let edges: [Range<Int64>]
    /// Whether a copy probably exists, so that nothing else is fetched before the lookup ends.
    let isLikely: Bool
}
