// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel
internal import EngineRuntime

/// How a source is fetched.
package struct HTTPSourceConfiguration: Sendable {
    /// The request for the whole source, with the caller's header fields, credentials and settings.
    package var request: TransferRequest
    /// Which hosts redirects may lead to.
    package var access = NetworkAccess.on
    /// The loopback ports of this engine's own servers, which it never connects to.
    package var ownPorts: Set<Int> = []
    package var retries = RetryPolicy.Limits()
    package var stallLimits = StallLimits()
    package var fetches = FetchPlanner.Limits()
    /// How long after a failure that may pass a read tries again, from the beginning.
    package var revival = Duration.seconds(5)
    /// The limit of concurrent requests for this source.
    package var parallel = 4

    package init(_ request: TransferRequest) { self.request = request }
}

/// Reads a resource on a server at any offset. Readers share the fetched bytes.
///
/// Thread-safety: safe. Reads block the calling thread.
package final class HTTPSource: Sendable {
    /// The URL for messages: without user name, password and query.
    package var path: String { scheduler.withLock { $0.shownURL } }
    private let loop: TransferLoop
    private let cache: RangeCache
    private let sourceID: RangeCache.Source
    private let scheduler: Locked<FetchScheduler>
    private let observers = Locked<[UInt64: AsyncStream<SourceWait?>.Continuation]>([:])

    package init(_ configuration: HTTPSourceConfiguration, loop: TransferLoop, cache: RangeCache) {
        self.loop = loop
        self.cache = cache
        sourceID = cache.makeSource()
        scheduler = Locked(FetchScheduler(configuration, cacheByteLimit: cache.byteLimit))
    }

    deinit { cache.forget(sourceID) }

    /// When the server last sent something, in nanoseconds of CLOCK_MONOTONIC. 0 if it never did.
    package var lastContact: Int64 { scheduler.withLock { $0.lastContact } }
    /// Why the source cannot be read now.
    package var failure: SourceFailure? { scheduler.withLock { $0.failure } }
    /// The version of the resource, as far as it is known.
    package var state: ResourceState { scheduler.withLock { $0.known } }
    /// Whether any offset can be read. Reliable after the first read.
    package var isSeekable: Bool { scheduler.withLock { $0.isSeekable } }
    package var waitReason: SourceWait? { scheduler.withLock { $0.waitReason } }
    package var statistics: SourceStatistics { scheduler.withLock { $0.statistics } }

    /// A reader of the source. Once its flag is raised, its reads fail with `SourceFailure.Kind.interrupted`.
    ///
    /// Thread-safety: only one thread at a time may read.
    package final class Reader: Sendable {
        private let source: HTTPSource
        private let wake = WakeSignal()
        private let flag: InterruptFlag
        private let id: UInt64

        fileprivate init(_ source: HTTPSource, _ flag: InterruptFlag) {
            self.source = source
            self.flag = flag
            id = source.scheduler.withLock { [wake] in $0.addReader(wake) }
            flag.add(wake)
        }

        deinit {
            flag.remove(wake)
            source.removeReader(id)
        }

        /// Announces reads that will follow, in place of those announced before. Does not wait.
        package func expect(_ ranges: [Range<Int64>]) { source.expect(ranges, for: id) }

        /// Appends bytes that begin at `offset`: at least one, unless the source ends there. Blocks until they are
        /// available.
        ///
        /// - Returns: their number, 0 at the end.
        package func read(at offset: Int64, into output: inout OutputRawSpan) throws(SourceFailure) -> Int {
            precondition(offset >= 0)
            assert(isBlockingThread, "a source was read on a thread that must not block")
            while output.freeCapacity > 0 {
                if flag.isUp {
                    source.removeReader(id)
                    throw SourceFailure(.interrupted, "")
                }
                let wanted = offset..<offset &+ Int64(output.freeCapacity)
                if try source.isEnd(offset) { return 0 }
                let count = source.cache.read(at: offset, of: source.sourceID, into: &output)
                if count > 0 {
                    source.didRead(id, offset..<offset + Int64(count))
                    return count
                }
                // `request` checks the cache again, for bytes received since the read above.
                if try source.request(wanted, for: id) { wake.wait(atMost: .max / 2) }
            }
            return 0
        }
    }

    package func makeReader(_ interrupt: InterruptFlag = InterruptFlag()) -> Reader { Reader(self, interrupt) }

    /// Replaces the request. A failed source can be read again, unless the resource has changed.
    package func refresh(_ request: TransferRequest) {
        scheduler.withLock { $0.refresh(request) }
        publishWait()
        schedule()
    }

    /// Ends the pause before the next attempt, e.g. because the network is back.
    package func retryNow() {
        let transfers = scheduler.withLock { $0.retryNow() }
        for transfer in transfers { loop.startNow(transfer) }
    }

    private func isEnd(_ offset: Int64) throws(SourceFailure) -> Bool {
        try scheduler.withLock { scheduler throws(SourceFailure) in try scheduler.isEnd(offset) }
    }

    private func didRead(_ reader: UInt64, _ range: Range<Int64>) {
        scheduler.withLock { $0.didRead(reader, range) }
        schedule()
    }

    /// Requests bytes for a reader that waits for them.
    ///
    /// - Returns: whether the reader must wait for the first byte.
    private func request(_ range: Range<Int64>, for reader: UInt64) throws(SourceFailure) -> Bool {
        let isMissing = try scheduler.withLock { [cache, sourceID] scheduler throws(SourceFailure) in
            try scheduler.wait(reader, for: range, held: cache.held(sourceID), now: monotonicNanoseconds())
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
        let cancelled = scheduler.withLock { [cache, sourceID, loop] scheduler in
            for next in scheduler.nextRequests(held: cache.held(sourceID), now: monotonicNanoseconds()) {
                let client = FetchClient(self, next.id)
                let transfer = loop.start(
                    next.request,
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
    }

    /// Passes the events of one transfer to the source. Called on the transfer thread.
    private final class FetchClient: TransferClient {
        private let source: HTTPSource
        private let id: UInt64

        init(_ source: HTTPSource, _ id: UInt64) {
            self.source = source
            self.id = id
        }

        func allows(_ address: String, port: Int) -> Bool {
            source.scheduler.withLock { [id] in $0.allows(address, port, id) }
        }

        func began(_ head: ResponseHead) -> Bool {
            source.scheduler.withLock { [id] in $0.began(id, head, now: monotonicNanoseconds()) }
        }

        func received(_ bytes: RawSpan) -> Bool {
            let count = bytes.byteCount
            // Write the bytes before waking readers, and without the lock: no other request writes this range.
            guard let room = source.scheduler.withLock({ [id] in $0.room(id, count) }) else { return false }
            if !room.isEmpty {
                let piece = bytes.extracting(0..<room.count)
                source.cache.write(piece, at: room.lowerBound, of: source.sourceID)
            }
            let isNeeded = source.scheduler.withLock { [id] in
                $0.received(id, room, of: count, now: monotonicNanoseconds())
            }
            source.publishWait()
            return isNeeded
        }

        func wentQuiet() {
            source.scheduler.withLock { $0.wentQuiet() }
            source.publishWait()
        }

        func ended(_ report: TransferReport) {
            let chance = Double.random(in: 0..<1)
            source.scheduler.withLock { [id] in
                $0.ended(id, report, now: monotonicNanoseconds(), wall: wallClockSeconds(), chance: chance)
            }
            source.publishWait()
            source.schedule()
        }
    }

    /// Tells the observers if the reason for waiting has changed.
    private func publishWait() {
        guard let change = scheduler.withLock({ $0.takeWaitChange() }) else { return }
        for observer in observers.withLock({ Array($0.values) }) { observer.yield(change) }
    }
}

extension HTTPSource: ByteSource {
    /// 0 until a read has received it from the server.
    package var byteCount: Int64 { scheduler.withLock { $0.known.byteCount ?? 0 } }
    package var bytesRead: UInt64 { UInt64(statistics.bytesRead) }
    package var isRemote: Bool { true }

    package var identity: SourceIdentity {
        let state = state
        return .resource(url: path, byteCount: state.byteCount ?? 0, tag: state.tag)
    }

    package var traffic: SourceTraffic {
        let counts = statistics
        var traffic = SourceTraffic()
        traffic.requests = UInt64(counts.requests)
        traffic.retries = UInt64(counts.retries)
        traffic.byteCount = UInt64(counts.bytesReceived)
        traffic.roundTripMicroseconds = UInt64(max(0, counts.roundTrip / .microseconds(1)))
        traffic.bytesPerSecond = UInt64(counts.bandwidth.map { max(0, min($0.fast, $0.slow)) } ?? 0)
        return traffic
    }

    package func waits() -> AsyncStream<SourceWait?> {
        let (stream, observer) = AsyncStream.makeStream(of: SourceWait?.self, bufferingPolicy: .bufferingNewest(1))
        let id = scheduler.withLock { $0.makeID() }
        observer.onTermination = { [weak self] _ in self?.observers.withLock { $0[id] = nil } }
        observers.withLock { $0[id] = observer }
        return stream
    }

    package func cursor(_ interrupt: InterruptFlag) -> any ByteCursor { Cursor(makeReader(interrupt), of: self) }

    package var isUsable: Bool { failure == nil }

    package func verify() throws(EngineError) {
        if let failure, failure.kind == .changed { throw EngineError(failure, path) }
    }

    private final class Cursor: ByteCursor {
        private let reader: Reader
        private let source: HTTPSource

        init(_ reader: Reader, of source: HTTPSource) {
            self.reader = reader
            self.source = source
        }

        var byteCount: Int64 { source.byteCount }

        func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
            guard offset >= 0, output.freeCapacity > 0 else { return 0 }
            do throws(SourceFailure) {
                return try reader.read(at: offset, into: &output)
            } catch {
                throw EngineError(error, source.path)
            }
        }

        func expect(_ ranges: [Range<Int64>]) { reader.expect(ranges) }
    }
}
