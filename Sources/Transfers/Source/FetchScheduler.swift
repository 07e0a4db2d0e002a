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
    private var demand: RangeDemand
    private var routes: RequestRoutes
    private var readers = SourceReaders()
    private var fetches = RunningFetches()
    private var recovery: SourceRecovery
    private var traffic: TrafficCounter
    private var lastID: UInt64 = 0
    private var resource = KnownResource()
    /// For a server that does not support ranges.
    private(set) var window: ForwardWindow?

    init(_ configuration: HTTPSourceConfiguration, cacheByteLimit: Int) {
        self.configuration = configuration
        demand = RangeDemand(configuration.fetches, cacheByteLimit: cacheByteLimit)
        routes = RequestRoutes(configuration)
        traffic = TrafficCounter(configuration.tally)
        recovery = SourceRecovery(
            configuration.retries,
            delivers: configuration.delivers,
            revival: configuration.revival
        )
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
    var shownURL: String { routes.url.shown }
    var refreshed: SourceAddress? { configuration.refreshed }
    /// The request that is sent now, after redirects.
    var currentRequest: TransferRequest { routes.currentRequest }

    /// The widest scope among the addresses that were connected to.
    var scope: AddressScope { routes.scope }

    var statistics: SourceStatistics { traffic.statistics }
}

/// Readers.
extension FetchScheduler {
    /// How delivery has changed since the last call. `nil` if it has not.
    mutating func takeWaitChange() -> SourceDelivery? { recovery.takeWaitChange() }

    mutating func addReader(_ wake: WakeSignal, isFollower: Bool) -> UInt64 {
        lastID += 1
        readers.add(lastID, wake, isFollower: isFollower)
        return lastID
    }

    mutating func removeReader(_ reader: UInt64) {
        let isInterrupted = readers.isWaiting(reader)
        readers.remove(reader)
        demand.readerLeft(reader)
        // The transfer of a source that can be received only once ends with the source, not between two readers.
        guard readers.isEmpty, isSeekable, isInterrupted || !isOpening else { return }
        // With protocols other than HTTP, a cancelled request costs a new login. Requests that are nearly complete
        // therefore continue: the next reader gains more from an open connection.
        fetches.cancelAll(leaving: routes.url.scheme.isHTTP ? 0 : configuration.fetches.rest)
    }

    /// Whether the source has just been opened. Another reader is expected soon, so transfers continue without readers.
    private var isOpening: Bool { (1..<Int64(RangeCache.blockByteCount)).contains(traffic.statistics.bytesRead) }

    /// Begins to fetch the ends of the source, which identify its copy on disk.
    ///
    /// - Parameter isLikely: whether a copy probably exists, so that nothing else is fetched meanwhile.
    mutating func search(_ edges: [Range<Int64>], isLikely: Bool) { demand.search(edges, isLikely: isLikely) }

    /// Call when the lookup has ended, whether or not it found a copy.
    mutating func endSearch() {
        demand.endSearch()
        readers.wakeAll()
    }

    mutating func loaded(_ count: Int) { traffic.loaded(Int64(count)) }

    /// Whether there is room for more bytes.
    mutating func hasRoom() -> Bool { window?.takesMore() ?? true }

    /// Whether the source's transfer lasts as long as the source is read. Resources that another source names are
    /// short.
    var isEndless: Bool { window != nil && configuration.leadingScope == .forbidden }

    /// The paused transfers to resume.
    mutating func takeResumed() -> [TransferLoop.ID] { window?.takeResumption() == true ? transfers : [] }

    /// The transfers that are running.
    var transfers: [TransferLoop.ID] { fetches.transfers }

    mutating func expectPlayback(_ bytesPerSecond: Double) { demand.expectPlayback(bytesPerSecond) }

    mutating func expect(_ ranges: [Range<Int64>], for reader: UInt64) { demand.readerExpects(reader, ranges) }

    func isEnd(_ offset: Int64) throws(SourceFailure) -> Bool {
        if let failure = recovery.failure, failure.kind == .changed { throw failure }
        return resource.endsBefore(offset)
    }

    mutating func didRead(_ reader: UInt64, _ range: Range<Int64>, isHit: Bool) {
        readers.hasRead(reader)
        traffic.read(Int64(range.count), isHit: isHit)
        demand.readerRead(reader, range)
        window?.reached(range.upperBound, isFollower: readers.isFollower(reader))
    }

    /// - Returns: whether the reader has to wait.
    mutating func wait(
        _ reader: UInt64,
        for range: Range<Int64>,
        held: RangeSet64,
        now: Int64
    ) throws(SourceFailure) -> Bool {
        if recovery.isRevivalDue(now) { beginAgain() }
        if let failure = recovery.failure { throw failure }
        if resource.endsBefore(range.lowerBound) { return false }
        if held.firstHeld(in: range)?.lowerBound == range.lowerBound { return false }
        if let loss = window?.loss(at: range.lowerBound, held) {
            throw SourceFailure(.notSeekable, "byte \(range.lowerBound) of \(shownURL); \(loss)")
        }
        window?.reached(range.lowerBound, isFollower: readers.isFollower(reader))
        readers.wait(reader, for: range)
        demand.readerWaits(reader, for: range)
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

    /// Ends a growing source with the bytes that it has.
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
        routes.refresh(other.request)
        (configuration.refreshed, configuration.stallLimits) = (other.refreshed, other.stallLimits)
        beginAgain()
    }

    private mutating func beginAgain() {
        recovery.begin()
        routes.returnToOriginal()
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
        for next in fetches.takeRedirected() { addRequest(next.rest, next.isUrgent, after: next.route, now, &requests) }
        guard recovery.failure == nil else { return requests }
        if isSeekable { planRanges(held, now, &requests) } else { planWholeBody(held, now, &requests) }
        return requests
    }

    private mutating func planRanges(_ held: RangeSet64, _ now: Int64, _ requests: inout [PlannedRequest]) {
        // Without readers, start nothing. Transfers that began when the source was opened continue, also while its only
        // reader has not read yet.
        guard !readers.isEmpty, demand.hasReaders || !isOpening else { return }
        let plan = demand.plan(
            byteCount: resource.end,
            held: held,
            beside: fetches.wanted,
            parallel: recovery.isTesting ? 1 : configuration.parallel,
            traffic,
            now: now
        )
        for action in plan {
            switch action {
            case .start(let range, let isUrgent): addRequest(range, isUrgent, now, &requests)
            case .cut(let id, let end): fetches.cut(id, at: end)
            case .cancel(let id): fetches.cancel(id)
            }
        }
    }

    /// Plans for a server that does not support ranges: one request fetches the whole resource from its start.
    private mutating func planWholeBody(_ held: RangeSet64, _ now: Int64, _ requests: inout [PlannedRequest]) {
        let isWanted = readers.awaitBytes(before: known.byteCount ?? .max, beyond: held)
        guard fetches.isEmpty, isWanted, let window, !window.isEnded else { return }
        guard window.canBeginAgain(known) else {
            return fail(.cannotContinue, "GET \(shownURL): broke off after \(window.newest) bytes")
        }
        addRequest(0..<(known.byteCount ?? .max), true, now, &requests)
    }

    private mutating func addRequest(
        _ range: Range<Int64>,
        _ isUrgent: Bool,
        after redirected: RedirectPolicy? = nil,
        _ now: Int64,
        _ requests: inout [PlannedRequest]
    ) {
        let route: RedirectPolicy
        do throws(SourceFailure) {
            route = try routes.next(after: redirected)
        } catch {
            return fail(error.kind, error.detail)
        }
        lastID += 1
        let id = lastID
        fetches.add(id, range, isUrgent: isUrgent, route, failures: recovery.failures)
        var request = resource.request(range, isRanged: isSeekable, by: routes.request(along: route))
        traffic.requested()
        let pause = recovery.pause(now)
        var limits = window?.isLive == true ? configuration.stallLimits.live : configuration.stallLimits
        if let longest = recovery.requested(after: pause, now) {
            request.settings.connectTimeout = min(request.settings.connectTimeout, longest)
            limits = limits.within(longest)
        }
        requests.append(PlannedRequest(id: id, request: request, stallLimits: limits, pause: pause, isUrgent: isUrgent))
    }

    mutating func started(_ id: UInt64, _ transfer: TransferLoop.ID) { fetches.started(id, transfer) }
    mutating func takeCancelled() -> [TransferLoop.ID] { fetches.takeCancelled() }
}

/// Responses.
extension FetchScheduler {
    mutating func allows(_ peer: TransferPeer, _ id: UInt64) -> Bool {
        guard let hosts = fetches.hosts(to: id) else { return false }
        let refusal = routes.judge(peer, along: hosts)
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
        demand.endSearch()
        resource.forgetRanges()
        window = ForwardWindow(ForwardWindow.Limits(byteCount: configuration.windowByteLimit))
    }

    private mutating func accept(_ state: ResourceState, _ fetch: RunningFetches.Fetch, _ now: Int64) {
        resource.merge(state)
        routes.arrived(along: fetch.route)
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
        // The transfer itself may end later. In between, the source would count as growing, and its index as unusable.
        if let window, window.newest == known.byteCount { endReceived() } else { readers.wake(waitingIn: range) }
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
        case .settled: settle(end, wall)
        case .redirected: followRedirect(end)
        case .informed: readers.wakeAll()
        case .retried(let cause): retry(cause, end, wall)
        case .failed(let kind): fail(kind, end.detail)
        }
    }

    /// Handles the end of a body that the server has completed or the scheduler has declined.
    private mutating func settle(_ end: FetchEnd, _ wall: Int64) {
        switch end.settlement(byteCount: known.byteCount, window) {
        case .received:
            endReceived()
            if recovery.areAnswersTooShort(including: end.fetch, end.report.facts) { retry(.lost, end, wall) }
        case .declined: break
        case .streamEnded: endWindow()
        case .brokenOff(let cause): retry(cause, end, wall)
        }
    }

    /// All bytes of the resource, or of a range, have arrived.
    private mutating func endReceived() {
        window?.ended()
        // A reader may be waiting for bytes beyond the end, which is known now.
        readers.wakeAll()
    }

    private mutating func followRedirect(_ end: FetchEnd) {
        do throws(RedirectPolicy.Refusal) {
            let route = try routes.following(end.report.facts.head, from: end.fetch.route)
            if let route { fetches.redirected(end.fetch, to: route) }
        } catch {
            fail(.redirect(error), end.detail)
        }
    }

    private mutating func retry(_ cause: RetryPolicy.Failure, _ end: FetchEnd, _ wall: Int64) {
        let (failures, isPinned) = (end.fetch.failures, end.fetch.route.isRedirected)
        let isLive = window?.isLive ?? false
        switch recovery.retry(cause, begunAfter: failures, isPinned: isPinned, isLive: isLive, end.now, end.chance) {
        case .counted: break
        case .retry(let target):
            traffic.retried()
            if target == .original { routes.returnToOriginal() }
        case .giveUp(let kind): fail(end.cause(of: kind, wall: wall), end.detail)
        }
    }
}
