// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// The settings for fetching a source.
package struct HTTPSourceConfiguration: Sendable {
    /// The request for the whole source, with the caller's header fields, credentials and settings.
    package var request: TransferRequest
    /// The URL and options from the latest refresh. `nil` before the first one.
    package var refreshed: SourceAddress?
    /// The hosts to which requests may be sent, also after redirects.
    package var access = NetworkAccess.on
    /// The ports of this engine's own servers, which it never connects to.
    package var ownPorts: Set<Int> = []
    package var retries = RetryPolicy.Limits()
    /// As for `RetryPolicy`.
    package var delivers = false
    package var stallLimits = StallLimits()
    package var fetches = FetchPlanner.Limits()
    /// The time after a transient failure until a read tries again, with new attempts.
    package var revival = Duration.seconds(5)
    /// The limit of concurrent requests for this source.
    package var parallel = 5
    /// The memory for a source whose server does not support ranges, in bytes.
    package var windowByteLimit = 256 << 20
    /// The widest scope of the source that names this one. The addresses of this source must not have a narrower scope.
    package var leadingScope = AddressScope.forbidden
    /// Counts the traffic of all sources together.
    package var tally: TrafficTally?
    /// The options for reporting playback to the server. If `nil`, it is not reported.
    package var cmcd: CMCDOptions?
    /// What the source is, for these reports.
    package var object: RequestedObject
    /// Where a live stream keeps the bytes that do not fit into memory. If `nil`, they are dropped.
    package var spool: SpoolSettings?
    /// Makes the intake that joins the connections of a live stream. If `nil`, a live stream ends with its connection.
    package var intake: (@Sendable () -> any StreamIntake)?

    package init(_ request: TransferRequest) {
        self.request = request
        object = RequestedObject(ofSource: request.url.path)
    }
}

/// Reads a resource on a server at any offset. Readers share the fetched bytes.
///
/// Thread-safety: safe. Reads block the calling thread.
package final class HTTPSource: Sendable {
    /// The URL for messages: without user name, password and query.
    package var path: String { scheduler.withLock { $0.shownURL } }
    private let loop: any TransferCarrier
    private let scheduler: Locked<FetchScheduler>
    private let bytes: SourceBytes
    private let observers = WaitObservers()
    private let intake: LiveReception
    /// `nil` unless the source is a file that was being written when it was opened.
    private let poll = Locked<LengthPoll?>(nil)
    private let reporter: PlaybackReporter

    /// - Parameters:
    ///   - loop: carries the requests.
    ///   - disk: keeps the bytes beyond the life of the source.
    ///   - leader: the source that names this one. Their playback is reported together.
    package init(
        _ configuration: HTTPSourceConfiguration,
        loop: any TransferCarrier,
        cache: RangeCache,
        disk: DiskCache? = nil,
        namedBy leader: HTTPSource? = nil
    ) {
        self.loop = loop
        bytes = SourceBytes(in: cache, disk, url: configuration.request.url, configuration.spool)
        scheduler = Locked(FetchScheduler(configuration, cacheByteLimit: cache.byteLimit))
        intake = LiveReception(configuration.intake)
        reporter = PlaybackReporter(configuration.cmcd, of: configuration.object, namedBy: leader?.reporter)
    }

    deinit { for transfer in scheduler.withLock(\.transfers) { loop.cancel(transfer) } }

    /// The number of bytes of the source in memory.
    package var memoryByteCount: Int64 { bytes.kept.byteCount }

    /// Identifies the copy of the source on disk. `nil` while there is none.
    var diskKey: CacheKey? { bytes.copy?.key }

    /// Drops the bytes in memory, unless they cannot be fetched again.
    package func dropMemory() { bytes.dropMemory() }

    /// When the server last sent something, in nanoseconds of CLOCK_MONOTONIC. 0 if it never did.
    package var lastContact: Int64 { scheduler.withLock { $0.lastContact } }
    /// The reason why the source cannot be read now.
    package var failure: SourceFailure? { scheduler.withLock { $0.failure } }

    /// Whether the source has failed because its server encodes the resource although it was asked not to.
    package var isEncoded: Bool {
        guard case .invalid(.encoded) = failure?.kind else { return false }
        return true
    }
    /// The known properties of the resource's version.
    package var state: ResourceState { scheduler.withLock { $0.known } }
    /// Whether any offset can be read. Reliable after the first read.
    package var isSeekable: Bool { scheduler.withLock { $0.isSeekable } }
    package var waitReason: SourceWait? { scheduler.withLock { $0.waitReason } }
    package var statistics: SourceStatistics { scheduler.withLock { $0.statistics } }
    /// The request that is sent now, after redirects.
    package var currentRequest: TransferRequest { scheduler.withLock { $0.currentRequest } }
    /// The URL and options from the latest refresh. `nil` before the first one.
    package var refreshed: SourceAddress? { scheduler.withLock { $0.refreshed } }
    /// The widest scope among the addresses that were connected to.
    var scope: AddressScope { scheduler.withLock { $0.scope } }

    /// A reader of the source. Once its flag is raised, its reads fail with `SourceFailure.Kind.interrupted`.
    ///
    /// Thread-safety: only one thread at a time may read.
    package final class Reader: Sendable {
        private let source: HTTPSource
        private let wake = WakeSignal()
        private let flag: InterruptFlag
        private let id: UInt64

        fileprivate init(_ source: HTTPSource, _ flag: InterruptFlag, isFollower: Bool) {
            self.source = source
            self.flag = flag
            id = source.scheduler.withLock { [wake] in $0.addReader(wake, isFollower: isFollower) }
            flag.add(wake)
        }

        deinit {
            flag.remove(wake)
            source.removeReader(id)
        }

        /// Announces later reads, which replace those announced before. Does not block.
        package func expect(_ ranges: [Range<Int64>]) { source.expect(ranges, for: id) }

        /// Appends the bytes at `offset`: at least one, unless the source ends there. Blocks until one is available.
        ///
        /// - Returns: their number, 0 at the end.
        package func read(at offset: Int64, into output: inout OutputRawSpan) throws(SourceFailure) -> Int {
            precondition(offset >= 0)
            assert(isBlockingThread, "a source was read on a thread that must not block")
            var isHit = true
            while output.freeCapacity > 0 {
                if flag.isUp {
                    source.removeReader(id)
                    throw SourceFailure(.interrupted, "")
                }
                let wanted = offset..<offset &+ Int64(output.freeCapacity)
                if try source.isEnd(offset) { return 0 }
                let count = source.bytes.kept.read(at: offset, into: &output)
                if count > 0 {
                    source.didRead(id, offset..<offset + Int64(count), isHit: isHit)
                    return count
                }
                if source.load(at: offset) { continue }
                // `request` checks the cache again, for bytes received since the read above.
                if try source.request(wanted, for: id) {
                    isHit = false
                    wake.wait(atMost: .max / 2)
                }
            }
            return 0
        }

        /// Waits at the end of a recording until it has the byte at `offset`. Blocks.
        ///
        /// - Returns: `false` if the source has ended before that byte, or does not grow.
        func awaitGrowth(past offset: Int64) throws(EngineError) -> Bool {
            guard let poll = source.poll.withLock({ $0 }) else { return false }
            return try poll.awaitGrowth(past: offset, flag)
        }
    }

    /// - Parameter isFollower: whether the reader does not move the window of a source without ranges.
    package func makeReader(_ interrupt: InterruptFlag = InterruptFlag(), isFollower: Bool = false) -> Reader {
        Reader(self, interrupt, isFollower: isFollower)
    }

    /// Replaces the request, the stall limits and the reports. A failed source can be read again, unless it changed.
    package func refresh(_ configuration: HTTPSourceConfiguration) {
        scheduler.withLock { $0.refresh(configuration) }
        reporter.refresh(configuration.cmcd)
        publishWait()
        schedule()
    }

    /// As `FetchScheduler.judge`.
    func judge(_ head: TransferHead, to asked: RequestedRange) -> RangeResponse {
        scheduler.withLock { $0.judge(head, to: asked) }
    }

    /// Ends the pause before the next attempt. At a client's request, a refused source is tried again, too.
    package func retryNow(requestedByClient: Bool = false) {
        let transfers = scheduler.withLock { $0.retryNow(requestedByClient: requestedByClient) }
        for transfer in transfers { loop.startNow(transfer) }
    }

    private func isEnd(_ offset: Int64) throws(SourceFailure) -> Bool {
        try scheduler.withLock { scheduler throws(SourceFailure) in try scheduler.isEnd(offset) }
    }

    private func didRead(_ reader: UInt64, _ range: Range<Int64>, isHit: Bool) {
        scheduler.withLock { $0.didRead(reader, range, isHit: isHit) }
        schedule()
    }

    /// Copies bytes from disk into memory.
    ///
    /// - Returns: whether the byte at `offset` was there.
    private func load(at offset: Int64) -> Bool {
        let count = bytes.load(at: offset)
        if count > 0 { scheduler.withLock { $0.loaded(count) } }
        return count > 0
    }

    /// Requests bytes for a reader that waits for them.
    ///
    /// - Returns: whether the reader must wait for the first byte.
    private func request(_ range: Range<Int64>, for reader: UInt64) throws(SourceFailure) -> Bool {
        let isMissing = try scheduler.withLock { scheduler throws(SourceFailure) in
            try scheduler.wait(reader, for: range, held: bytes.held, now: monotonicNanoseconds())
        }
        if isMissing { schedule() }
        return isMissing
    }

    private func expect(_ ranges: [Range<Int64>], for reader: UInt64) {
        scheduler.withLock { $0.expect(ranges, for: reader) }
        schedule()
    }

    private func removeReader(_ reader: UInt64) {
        scheduler.withLock { $0.removeReader(reader) }
        schedule()
    }

    /// Starts and cancels transfers as the scheduler decides.
    private func schedule() {
        let playback = reporter.playback
        let cancelled = scheduler.withLock { [loop, reporter, bytes] scheduler in
            for next in scheduler.nextRequests(held: bytes.held, now: monotonicNanoseconds()) {
                let client = FetchClient(self, next.id)
                let bandwidth = scheduler.statistics.bandwidth.map { min($0.fast, $0.slow) }
                let request = reporter.request(next.request, playback, bytesPerSecond: bandwidth)
                let transfer = loop.start(
                    request,
                    stallLimits: next.stallLimits,
                    after: next.pause,
                    isUrgent: next.isUrgent,
                    for: client
                )
                scheduler.started(next.id, transfer)
            }
            return scheduler.takeCancelled()
        }
        for transfer in cancelled { loop.cancel(transfer) }
        for transfer in scheduler.withLock({ $0.takeResumed() }) { loop.resume(transfer) }
    }

    /// Passes the events of one transfer to the source. Called on the transfer thread.
    private final class FetchClient: TransferClient {
        /// Weak, because the source cancels its transfers when it is released.
        private weak let source: HTTPSource?
        private let id: UInt64

        init(_ source: HTTPSource, _ id: UInt64) {
            self.source = source
            self.id = id
        }

        func allows(_ peer: TransferPeer) -> Bool {
            source?.scheduler.withLock { [id] in $0.allows(peer, id) } ?? false
        }

        var isEndless: Bool { source?.scheduler.withLock { $0.isEndless } ?? false }
        func began(_ head: TransferHead) -> Bool { source?.began(id, head) ?? false }
        func hasRoom() -> Bool { source?.scheduler.withLock { $0.hasRoom() } ?? true }

        func received(_ bytes: RawSpan) -> Bool { source?.received(id, bytes) ?? false }

        func wentQuiet() {
            source?.scheduler.withLock { $0.wentQuiet() }
            source?.publishWait()
        }

        func ended(_ report: TransferReport) {
            let chance = Double.random(in: 0..<1)
            source?.disconnected(id)
            source?.scheduler.withLock { [id] in
                $0.ended(id, report, now: monotonicNanoseconds(), wall: wallClockSeconds(), chance: chance)
            }
            source?.publishWait()
            source?.schedule()
            if let source { source.bytes.copy?.requestEnded(source.callbacks) }
        }
    }

    private func began(_ id: UInt64, _ head: TransferHead) -> Bool {
        let (isNeeded, limits, known) = scheduler.withLock { scheduler in
            (scheduler.began(id, head, now: monotonicNanoseconds()), scheduler.window?.limits, scheduler.known)
        }
        if limits == nil, isNeeded, let (edges, isLikely) = bytes.copy?.begin(known, at: currentRequest.url) {
            scheduler.withLock { $0.search(edges, isLikely: isLikely) }
            bytes.copy?.openFound(callbacks)
            schedule()
        }
        if limits != nil, isNeeded { intake.begin(known) }
        // The server does not support ranges: from now on, the bytes are kept in a window. Ranges fetched before are
        // dropped.
        if let limits { bytes.becomeWindow(limits) }
        return isNeeded
    }

    private func received(_ id: UInt64, _ piece: RawSpan) -> Bool {
        let count = piece.byteCount
        if let new = intake.take(piece) { return append(new, from: id, of: count) }
        // Write the bytes before waking readers, and without the lock: no other request writes this range.
        guard let room = scheduler.withLock({ $0.room(id, count) }) else { return false }
        let new = scheduler.withLock { $0.new(of: room) }
        let old = Int(new.lowerBound - room.lowerBound)
        if old > 0, !bytes.kept.agrees(with: piece.extracting(0..<old), at: room.lowerBound) {
            scheduler.withLock { $0.differed() }
            return false
        }
        if !new.isEmpty { bytes.write(piece.extracting(old..<room.count), at: new.lowerBound, callbacks) }
        let isNeeded = scheduler.withLock { $0.received(id, room, of: count, now: monotonicNanoseconds()) }
        publishWait()
        return isNeeded
    }

    /// Stores new bytes of a live stream at its end.
    ///
    /// - Returns: whether more bytes are needed.
    private func append(_ new: [UInt8], from id: UInt64, of count: Int) -> Bool {
        let reception = intake.reception
        let start = scheduler.withLock { $0.window?.newest ?? 0 }
        if !new.isEmpty { bytes.kept.write(new, at: start) }
        if intake.canContinue { bytes.kept.spool?.received(to: start + Int64(new.count)) }
        let (isNeeded, limited) = scheduler.withLock { [intake] scheduler in
            let limited = intake.canContinue ? scheduler.becomeLive() : nil
            let range = start..<start + Int64(new.count)
            return (scheduler.received(id, range, of: count, now: monotonicNanoseconds(), isLive: true), limited)
        }
        if let (transfers, limits) = limited { for transfer in transfers { loop.limit(transfer, by: limits) } }
        if reception.hasEnded { endGrowth() }
        publishWait()
        return isNeeded && !reception.hasEnded
    }

    private func disconnected(_ id: UInt64) {
        let held = intake.disconnected()
        if !held.isEmpty { _ = append(held, from: id, of: 0) }
    }

    /// Called on the thread of the disk cache.
    private var callbacks: DiskCopy.Callbacks {
        DiskCopy.Callbacks(
            settled: { [weak self] in
                self?.scheduler.withLock { $0.endSearch() }
                self?.schedule()
            },
            differs: { [weak self] in
                self?.scheduler.withLock { $0.differed() }
                self?.schedule()
                self?.publishWait()
            }
        )
    }

    /// Notifies the observers if the reason for waiting has changed.
    private func publishWait() {
        if let change = scheduler.withLock({ $0.takeWaitChange() }) { observers.notify(change) }
    }
}

/// Recordings.
extension HTTPSource {
    /// Whether the source is a file that was being written when it was opened.
    var isRecording: Bool { scheduler.withLock { $0.recording != nil } }

    /// Treats the source as a recording if its server says that it was written to recently. Its length then remains
    /// fixed until `follow` is called, even if later answers of the server state another one.
    ///
    /// - Parameters:
    ///   - quiet: once nothing has been written to a file for this long, it has ended.
    ///   - makeFetch: makes the receiver of a request for the length of the file.
    func record(quiet: Duration, _ makeFetch: @escaping @Sendable (InterruptFlag) -> WholeFetch) {
        scheduler.withLock { $0.record(quiet: quiet, wall: wallClockSeconds(), now: monotonicNanoseconds()) }
        guard isRecording else { return }
        // A copy on disk belongs to one version of the file, and a file that is being written has many.
        bytes.copy?.abandon()
        poll.withLock { [scheduler, loop] in $0 = LengthPoll(scheduler, by: loop, makeFetch) }
    }

    /// From now on, reads at the end of a recording wait until more is written.
    func follow() { scheduler.withLock { $0.followRecording() } }
}

extension HTTPSource: ByteSource {
    /// The number of bytes received while the source grows; otherwise the length. 0 until the server has stated it.
    package var byteCount: Int64 { scheduler.withLock(\.byteCount) }

    package var growth: SourceGrowth? {
        scheduler.withLock { scheduler in
            if scheduler.isGrowing { return SourceGrowth(isRecording: true) }
            guard let window = scheduler.window, !window.isEnded else { return nil }
            let expected = scheduler.known.byteCount
            let becomesWhole = (expected ?? window.newest) <= window.limits.byteCount && !window.isLive
            return SourceGrowth(expectedByteCount: expected, becomesWhole: becomesWhole)
        }
    }

    package var oldest: Int64 { scheduler.withLock(\.window).map { bytes.kept.oldest(in: $0) } ?? 0 }

    package var slides: Bool { scheduler.withLock { $0.window?.slides ?? false } }

    package var window: StreamWindow? {
        guard let window = scheduler.withLock(\.window), window.isLive else { return nil }
        return bytes.kept.streamWindow(window)
    }

    package var live: LiveProgress? {
        scheduler.withLock { scheduler in
            guard let window = scheduler.window, window.slides, !window.isEnded else { return nil }
            return LiveProgress(isStalled: scheduler.waitReason != nil)
        }
    }

    package func slide(to start: Int64, keeping kept: Int64) {
        scheduler.withLock { $0.slide(to: start) }
        bytes.kept.spool?.drop(before: kept)
    }

    package func holdBack() { scheduler.withLock { $0.holdBack() } }

    package var bytesRead: UInt64 { UInt64(statistics.bytesRead) }
    package var isRemote: Bool { true }

    package var identity: SourceIdentity {
        // While a recording grows, it stays the source that was opened.
        let recording = scheduler.withLock(\.recording)
        let state = recording.flatMap { $0.isGrowing ? $0.opened : nil } ?? state
        return .resource(url: path, byteCount: state.byteCount ?? 0, tag: state.tag)
    }

    package var versionKey: String? {
        identity.key(head: bytes.headDigest(of: state.byteCount))
    }

    package var traffic: SourceTraffic {
        var traffic = SourceTraffic(statistics)
        traffic.add(intake.reception)
        return traffic
    }

    package var reception: StreamReception { intake.reception }

    package func waits() -> AsyncStream<SourceDelivery> { observers.stream() }
    package func retry() { retryNow(requestedByClient: true) }
    package func report(_ playback: @escaping @Sendable () -> PlaybackReport?) { reporter.follow(playback) }

    /// As `PlaybackReporter.describe`.
    func describe(_ object: RequestedObject) { reporter.describe(object) }

    package func expectPlayback(at bytesPerSecond: Double) { scheduler.withLock { $0.expectPlayback(bytesPerSecond) } }

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor {
        HTTPCursor(makeReader(interrupt), of: self)
    }

    package func endGrowth() {
        scheduler.withLock { $0.endGrowth() }
        schedule()
    }

    package func require(stream: Int) { if intake.require(stream: stream) { endGrowth() } }

    package func renewConnection() {
        scheduler.withLock { $0.renewConnection() }
        schedule()
    }

    package func follower(_ interrupt: InterruptFlag) -> any ByteCursor {
        HTTPCursor(makeReader(interrupt, isFollower: true), of: self)
    }

    package var isUsable: Bool { failure == nil }

    package func verify() throws(EngineError) {
        if let failure, failure.kind == .changed { throw EngineError(failure, path) }
    }
}
