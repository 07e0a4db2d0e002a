// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineRuntime

/// How a source is asked for.
package struct HTTPSourceConfiguration: Sendable {
    /// The request for the whole source, with the caller's fields, credentials and settings.
    package var request: TransferRequest
    /// The ports of this engine's own servers, which are never asked.
    package var ownPorts: Set<Int> = []
    package var retries = RetryPolicy.Limits()
    package var patience = TransferPatience()
    package var fetches = FetchPlanner.Limits()
    /// The most requests of this source at once.
    package var parallel = 3

    package init(_ request: TransferRequest) { self.request = request }
}

/// The bytes of a resource on a server, at any offset. Readers share what is fetched.
///
/// Thread-safety: safe. Whoever reads blocks its own thread.
package final class HTTPSource: Sendable {
    private let loop: TransferLoop
    private let cache: RangeCache
    private let place: RangeCache.Source
    private let desk: Locked<FetchDesk>

    package init(_ configuration: HTTPSourceConfiguration, loop: TransferLoop, cache: RangeCache) {
        self.loop = loop
        self.cache = cache
        place = cache.makeSource()
        desk = Locked(FetchDesk(configuration, cacheByteLimit: cache.byteLimit))
    }

    deinit { cache.forget(place) }

    /// The length. `nil` while it is not known, which the first read changes if the server says it.
    package var byteCount: Int64? { desk.withLock { $0.known.byteCount } }
    /// What identifies the state of the resource.
    package var state: ResourceState { desk.withLock { $0.known } }
    /// Whether any offset can be read. Known after the first read.
    package var isSeekable: Bool { desk.withLock { $0.isSeekable } }
    package var trouble: SourceTrouble? { desk.withLock { $0.trouble } }
    package var statistics: SourceStatistics { desk.withLock { $0.statistics } }

    /// One who reads. Its reads are interrupted together.
    ///
    /// Thread-safety: reads are made on one thread at a time; `interrupt` may be called on any.
    package final class Reader: Sendable {
        private let source: HTTPSource
        fileprivate let wake = WakeSignal()
        private let flag = InterruptFlag()
        private let id: UInt64

        fileprivate init(_ source: HTTPSource) {
            self.source = source
            id = source.desk.withLock { [wake] in $0.addReader(wake) }
        }

        deinit { source.leave(id) }

        /// Ends the read that waits, and all later ones.
        package func interrupt() {
            flag.raise()
            wake.call()
        }

        /// Appends bytes from `offset` on, at least one unless the source ends there. Blocks until they are here.
        ///
        /// - Returns: their number, 0 at the end.
        package func read(at offset: Int64, into output: inout OutputRawSpan) throws(SourceFailure) -> Int {
            precondition(offset >= 0)
            assert(isBlockingThread, "a source was read on a thread that must not block")
            while output.freeCapacity > 0 {
                if flag.isUp {
                    source.leave(id)
                    throw SourceFailure(.interrupted, "")
                }
                let wanted = offset..<offset &+ Int64(output.freeCapacity)
                if try source.isEnd(offset) { return 0 }
                let count = source.cache.read(at: offset, of: source.place, into: &output)
                if count > 0 {
                    source.got(id, offset..<offset + Int64(count))
                    return count
                }
                // What comes between the look into the cache and the wait is seen by the request for it.
                if try source.request(wanted, for: id) { wake.wait(atMost: .max / 2) }
            }
            return 0
        }
    }

    package func makeReader() -> Reader { Reader(self) }

    /// Replaces URL and fields, and makes a source that had failed readable again.
    package func refresh(_ request: TransferRequest) {
        desk.withLock { $0.refresh(request) }
        act()
    }

    /// Ends the pause before the next attempt, because the reason for it is gone: the network is back.
    package func hurry() {
        let transfers = desk.withLock { $0.hurry() }
        for transfer in transfers { loop.hurry(transfer) }
    }

    private func isEnd(_ offset: Int64) throws(SourceFailure) -> Bool {
        try desk.withLock { desk throws(SourceFailure) in try desk.isEnd(offset) }
    }

    private func got(_ reader: UInt64, _ range: Range<Int64>) {
        desk.withLock { $0.got(reader, range) }
        act()
    }

    /// Says that a reader waits.
    ///
    /// - Returns: whether the first byte is still to come.
    private func request(_ range: Range<Int64>, for reader: UInt64) throws(SourceFailure) -> Bool {
        let isMissing = try desk.withLock { [cache, place] desk throws(SourceFailure) in
            try desk.wait(reader, for: range, held: cache.held(place))
        }
        if isMissing { act() }
        return isMissing
    }

    private func leave(_ reader: UInt64) {
        desk.withLock { $0.removeReader(reader) }
        act()
    }

    /// Starts and ends requests as the plan says.
    private func act() {
        let cancelled = desk.withLock { [cache, place, loop] desk in
            for order in desk.orders(held: cache.held(place), now: monotonicNanoseconds()) {
                let client = FetchClient(self, order.id)
                let transfer = loop.start(
                    order.request,
                    patience: order.patience,
                    after: order.pause,
                    isUrgent: order.isUrgent,
                    for: client
                )
                desk.started(order.id, transfer)
            }
            return desk.takeCancelled()
        }
        for transfer in cancelled { loop.cancel(transfer) }
    }

    /// The end of one request at the source. Called on the thread of the transfers.
    private final class FetchClient: TransferClient {
        private let source: HTTPSource
        private let id: UInt64

        init(_ source: HTTPSource, _ id: UInt64) {
            self.source = source
            self.id = id
        }

        func admits(_ address: String, port: Int) -> Bool {
            source.desk.withLock { [id] in $0.admits(address, port, id) }
        }

        func began(_ head: ResponseHead) -> Bool {
            source.desk.withLock { [id] in $0.began(id, head, now: monotonicNanoseconds()) }
        }

        func received(_ bytes: RawSpan) -> Bool {
            let count = bytes.byteCount
            // Written before it is announced, and outside of the lock: only this request brings these bytes.
            guard let room = source.desk.withLock({ [id] in $0.room(id, count) }) else { return false }
            if !room.isEmpty {
                let piece = bytes.extracting(0..<room.count)
                source.cache.write(piece, at: room.lowerBound, of: source.place)
            }
            return source.desk.withLock { [id] in $0.received(id, room, of: count, now: monotonicNanoseconds()) }
        }

        func grewQuiet() { source.desk.withLock { $0.grewQuiet() } }

        func ended(_ report: TransferReport) {
            let chance = Double.random(in: 0..<1)
            source.desk.withLock { [id] in
                $0.ended(id, report, now: monotonicNanoseconds(), wall: wallClockSeconds(), chance: chance)
            }
            source.act()
        }
    }
}
