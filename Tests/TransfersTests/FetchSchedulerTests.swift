// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import Testing

@testable import Transfers

private func seconds(_ count: Double) -> Int64 { Int64(count * 1e9) }

@Suite("Fetch scheduler")
struct FetchSchedulerTests {
    @Suite("Readers")
    struct Readers {
        @Test("Only readers whose first byte arrives are woken", .timeLimit(.minutes(10)))
        func wakes() {
            var readers = SourceReaders()
            let signals = (0..<4).map { _ in WakeSignal() }
            for (id, signal) in signals.enumerated() { readers.add(UInt64(id), signal, isFollower: id == 3) }
            readers.wait(0, for: 100..<200)
            readers.wait(1, for: 150..<151)
            readers.wait(2, for: 200..<300)
            #expect(readers.wanted.count == 3)
            readers.hasRead(1)
            #expect(readers.waiting(in: 90..<200) == [0])
            // Each of these waits would never return if its signal were not called.
            readers.wake(waitingIn: 90..<200)
            signals[0].wait(atMost: .max / 2)
            readers.wakeAll()
            for signal in signals { signal.wait(atMost: .max / 2) }
        }

        @Test("A removed reader neither waits nor follows")
        func leaves() {
            var readers = SourceReaders()
            readers.add(1, WakeSignal(), isFollower: true)
            readers.wait(1, for: 0..<10)
            #expect(readers.isFollower(1) && !readers.isEmpty)
            readers.remove(1)
            #expect(readers.isEmpty && readers.wanted.isEmpty && !readers.isFollower(1))
        }
    }

    @Suite("Running fetches")
    struct Fetches {
        private func fetches(_ count: UInt64) throws -> RunningFetches {
            var fetches = RunningFetches()
            let route = RedirectPolicy(try ResourceURL("http://example.org/film"))
            for id in 0..<count {
                let start = Int64(id) * 100
                fetches.add(id, start..<start + 100, isUrgent: true, route, failures: 0)
                fetches.started(id, TransferLoop.ID(number: id + 10))
            }
            return fetches
        }

        @Test("Cancelled and complete fetches are not wanted")
        func wanted() throws {
            var fetches = try fetches(3)
            fetches.cancel(0)
            fetches.narrow(1, to: 150..<200)
            fetches.cut(1, at: 160)
            fetches.narrow(2, to: 300..<300)
            #expect(fetches.wanted == [FetchPlanner.Fetch(id: 1, range: 150..<160)])
            let cancelled = [fetches.takeCancelled(), fetches.takeCancelled()]
            #expect(cancelled == [[TransferLoop.ID(number: 10)], []])
            #expect(fetches[1]?.requested == 100..<200)
        }

        @Test("All fetches but one can be cancelled")
        func cancelsOthers() throws {
            var fetches = try fetches(3)
            fetches.cancelAll(except: 1)
            let cancelled = fetches.takeCancelled().map(\.number)
            #expect(cancelled.sorted() == [10, 12])
            #expect(fetches.wanted.map(\.id) == [1])
        }

        @Test("A redirected fetch continues where it was, once")
        func redirects() throws {
            var fetches = try fetches(1)
            fetches.narrow(0, to: 40..<100)
            let removed = fetches.remove(0)
            let fetch = try #require(removed)
            fetches.redirected(fetch, to: RedirectPolicy(try ResourceURL("http://example.com/there")))
            let next = [fetches.takeRedirected(), fetches.takeRedirected()]
            #expect(next[0].map(\.rest) == [40..<100] && next[0].map(\.route.url.origin.host) == ["example.com"])
            #expect(next[1].isEmpty && fetches.isEmpty)
        }
    }

    @Suite("Opening")
    struct Opening {
        @Test(
            "After its reader has left, a request continues for the next reader, and is cancelled if it reads elsewhere"
        )
        func succession() throws {
            let url = try ResourceURL("http://example.org/film.mkv")
            let configuration = HTTPSourceConfiguration(TransferRequest(url, byteLimit: .max))
            var scheduler = FetchScheduler(configuration, cacheByteLimit: 8 << 20)
            let first = scheduler.addReader(WakeSignal(), isFollower: false)
            _ = try scheduler.wait(first, for: 0..<4096, held: RangeSet64(), now: 0)
            let requests = scheduler.nextRequests(held: RangeSet64(), now: 0)
            let id = try #require(requests.first?.id)
            let held = RangeSet64(0..<5000)
            _ = scheduler.received(id, 0..<5000, of: 5000, now: 0)
            scheduler.didRead(first, 0..<4096, isHit: false)
            let second = scheduler.addReader(WakeSignal(), isFollower: false)
            scheduler.removeReader(first)
            let none = scheduler.nextRequests(held: held, now: 0)
            #expect(none.isEmpty && scheduler.room(id, 10) == 5000..<5010)
            scheduler.didRead(second, 0..<100, isHit: true)
            let more = scheduler.nextRequests(held: held, now: 0)
            #expect(more.isEmpty && scheduler.room(id, 10) == 5000..<5010)
            _ = try scheduler.wait(second, for: 50 << 20..<50 << 20 + 1, held: held, now: 0)
            let other = scheduler.nextRequests(held: held, now: 0)
            #expect(other.count == 1 && scheduler.room(id, 10) == nil)
        }

        @Test("A server that stays silent is given up after 20 s; the last attempt has the time that is left")
        func silence() throws {
            let url = try ResourceURL("http://example.org/film.mkv")
            let configuration = HTTPSourceConfiguration(TransferRequest(url, byteLimit: .max))
            var scheduler = FetchScheduler(configuration, cacheByteLimit: 8 << 20)
            let reader = scheduler.addReader(WakeSignal(), isFollower: false)
            _ = try scheduler.wait(reader, for: 0..<1, held: RangeSet64(), now: 0)
            var attempts: [FetchScheduler.PlannedRequest] = []
            for (begin, end) in [(0.0, 10.0), (10, 20)] {
                let requests = scheduler.nextRequests(held: RangeSet64(), now: seconds(begin))
                attempts.append(try #require(requests.first))
                for request in requests {
                    let report = TransferReport(request: "GET", end: .stalled, facts: TransferFacts())
                    scheduler.ended(request.id, report, now: seconds(end), wall: 0, chance: 0)
                }
            }
            #expect(attempts.map(\.pause) == [.zero, .seconds(0.5)])
            #expect(attempts.map(\.request.settings.connectTimeout) == [.seconds(10), .seconds(9.5)])
            #expect(attempts.map(\.stallLimits) == [StallLimits(), StallLimits().within(.seconds(9.5))])
            #expect(scheduler.failure?.kind == .lost)
        }
    }

    @Test("A source without ranges is complete when its last byte arrives, before its transfer ends")
    func completes() throws {
        let url = try ResourceURL("http://example.org/film.mp4")
        let configuration = HTTPSourceConfiguration(TransferRequest(url, byteLimit: .max))
        var scheduler = FetchScheduler(configuration, cacheByteLimit: 8 << 20)
        let reader = scheduler.addReader(WakeSignal(), isFollower: false)
        _ = try scheduler.wait(reader, for: 0..<1, held: RangeSet64(), now: 0)
        let requests = scheduler.nextRequests(held: RangeSet64(), now: 0)
        let id = try #require(requests.first?.id)
        let (size, last) = (100_000_000 as Int64, 99_999_999 as Int64)
        let head = ResponseHead(status: 200, fields: [ResponseHead.Field("Content-Length", "\(size)")])
        _ = scheduler.began(id, .http(head), now: 0)
        _ = scheduler.received(id, 0..<last, of: Int(last), now: 0)
        #expect(scheduler.window?.isEnded == false && scheduler.byteCount == last)
        _ = scheduler.received(id, last..<size, of: 1, now: 0)
        #expect(scheduler.window?.isEnded == true && scheduler.byteCount == size)
    }

    @Suite("Addresses")
    struct Addresses {
        /// A scheduler with two planned requests, and their ids.
        private func scheduler() throws -> (FetchScheduler, [UInt64]) {
            let url = try ResourceURL("http://example.org/film.mkv")
            let configuration = HTTPSourceConfiguration(TransferRequest(url, byteLimit: .max))
            var scheduler = FetchScheduler(configuration, cacheByteLimit: 8 << 20)
            let reader = scheduler.addReader(WakeSignal(), isFollower: false)
            var ids: [UInt64] = []
            for start in [0, 3 << 20] as [Int64] {
                _ = try scheduler.wait(reader, for: start..<start + 1, held: RangeSet64(), now: 0)
                ids += scheduler.nextRequests(held: RangeSet64(), now: 0).map(\.id)
            }
            return (scheduler, ids)
        }

        @Test(
            "A host name whose address changes to one of narrower scope is refused when it is connected",
            arguments: ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1", "::1", "fd00::1", "::ffff:10.0.0.1"]
        )
        func refuses(address: String) throws {
            var (scheduler, ids) = try scheduler()
            #expect(ids.count == 2)
            let first = scheduler.allows(TransferPeer("93.184.216.34", port: 80), ids[0])
            let second = scheduler.allows(TransferPeer(address, port: 80), ids[1])
            #expect(first && !second && scheduler.failure == nil)
            let report = TransferReport(request: "GET", end: .refusedAddress(address), facts: TransferFacts())
            scheduler.ended(ids[1], report, now: 0, wall: 0, chance: 0)
            guard case .address = scheduler.failure?.kind else {
                Issue.record("\(String(describing: scheduler.failure))")
                return
            }
            let answer = scheduler.nextRequests(held: RangeSet64(), now: 0)
            #expect(answer.isEmpty)
        }

        private func end(_ id: UInt64, _ scheduler: inout FetchScheduler, _ status: Int, to place: String? = nil) {
            let head = ResponseHead(
                status: status,
                fields: place.map { [ResponseHead.Field("Location", $0)] } ?? []
            )
            _ = scheduler.began(id, .http(head), now: 0)
            var facts = TransferFacts()
            facts.head = head
            let report = TransferReport(request: "GET", end: .declined, facts: facts)
            scheduler.ended(id, report, now: 0, wall: 0, chance: 0)
        }

        @Test("The named host is asked again at its own address after the server to which it redirects has refused")
        func asksAgain() throws {
            var (scheduler, ids) = try scheduler()
            let named = scheduler.allows(TransferPeer("10.0.0.1", port: 80), ids[1])
            end(ids[1], &scheduler, 302, to: "http://wide.example/film")
            let led = try #require(next("wide.example", &scheduler))
            let wide = scheduler.allows(TransferPeer("93.184.216.34", port: 80), led)
            end(led, &scheduler, 403)
            let again = try #require(next("example.org", &scheduler))
            let last = scheduler.allows(TransferPeer("10.0.0.1", port: 80), again)
            let unknown = scheduler.allows(TransferPeer("93.184.216.34", port: 80), 1000)
            #expect(named && wide && last && !unknown)
        }

        /// The id of the next request for a host; `nil` if there is none.
        private func next(_ host: String, _ scheduler: inout FetchScheduler) -> UInt64? {
            scheduler.nextRequests(held: RangeSet64(), now: 0).first { $0.request.url.origin.host == host }?.id
        }

        @Test("A redirect from before a refresh is not followed after it")
        func forgetsRedirects() throws {
            var (scheduler, ids) = try scheduler()
            end(ids[1], &scheduler, 302, to: "/elsewhere")
            let new = TransferRequest(try ResourceURL("http://new.example/film.mkv"), byteLimit: .max)
            scheduler.refresh(HTTPSourceConfiguration(new))
            let hosts = scheduler.nextRequests(held: RangeSet64(), now: 0).map(\.request.url.origin.host)
            #expect(!hosts.isEmpty && hosts.allSatisfy { $0 == "new.example" })
        }

        @Test("A host name whose address changes within its scope or to a wider scope is allowed")
        func admits() throws {
            var (scheduler, ids) = try scheduler()
            let wider = [("10.0.0.1", 0), ("192.168.7.7", 1), ("93.184.216.34", 0), ("2606:4700::1", 1)]
                .map { scheduler.allows(TransferPeer($0.0, port: 80), ids[$0.1]) }
            #expect(wider == [true, true, true, true])
        }
    }

    @Suite("Short answers")
    struct Short {
        /// Each row: the length of the answers in bytes, their duration in seconds, and the index of the answer that
        /// counts as a failure; `nil`: none does.
        @Test(
            "Short answers must deliver 16 KiB within 16 answers and within 30 s",
            arguments: [
                (1, 1.0, 15), (1, 0.001, 15), (1, 10, 2), (1023, 0.1, 15), (1024, 0.1, nil), (16 << 10, 40, nil),
                (8 << 10, 40, 0), (100_000, 0.1, nil),
            ] as [(Int64, Double, Int?)]
        )
        func counts(length: Int64, time: Double, failure: Int?) {
            var answers = ShortAnswers()
            let found = (0..<16).first { _ in
                answers.add(isShort: true, byteCount: length, time: .seconds(time))
            }
            #expect(found == failure)
        }

        @Test("A whole answer restarts the count")
        func forgets() {
            var answers = ShortAnswers()
            let found = (0..<100).map { index in
                answers.add(isShort: index % 10 != 0, byteCount: 1, time: .milliseconds(1))
            }
            #expect(!found.contains(true))
        }
    }

    @Suite("Recovery")
    struct Recovery {
        private let busy = RetryPolicy.Failure.status(503, retryAfter: .seconds(60))

        private func recovery() -> SourceRecovery { SourceRecovery(RetryPolicy.Limits(), revival: .seconds(5)) }

        @Test("Requests that fail together count as one failure")
        func counts() {
            var recovery = recovery()
            let together = (0..<2).map { _ in recovery.retry(.lost, begunAfter: 0, isPinned: false, 0, 0) }
            #expect(together == [.retry(at: .redirected), .counted])
            #expect(recovery.failures == 1 && recovery.pause(0) == .milliseconds(500))
            let later = recovery.retry(.lost, begunAfter: 1, isPinned: false, 0, 0)
            #expect(later == .retry(at: .redirected))
            #expect(recovery.pause(0) == .seconds(1) && recovery.pause(seconds(0.4)) == .milliseconds(600))
        }

        @Test("After Retry-After: 60 the server is asked again after 15 s, by one request; bytes end the wait")
        func waits() {
            var recovery = recovery()
            let answer = recovery.retry(busy, begunAfter: 0, isPinned: false, 0, 0)
            #expect(answer == .retry(at: .original))
            #expect(recovery.pause(0) == .seconds(15) && recovery.isTesting)
            let changes = [recovery.takeWaitChange(), recovery.takeWaitChange()]
            #expect(changes == [.waits(.retrying(status: 503)), nil])
            recovery.received(1)
            let last = recovery.takeWaitChange()
            #expect(last == .resumed && !recovery.isTesting)
            recovery.wentQuiet()
            #expect(recovery.waitReason == .silent && !recovery.isTesting)
        }

        @Test("A failure ends a wait, but only bytes resume delivery; a refresh does neither")
        func givesUpWaits() {
            var recovery = recovery()
            _ = recovery.retry(busy, begunAfter: 0, isPinned: false, 0, 0)
            recovery.fail(SourceFailure(.refused(403), ""))
            #expect(recovery.takeWaitChange() == nil, "it was never said that the source waits")
            recovery.wentQuiet()
            let said = recovery.takeWaitChange()
            recovery.begin()
            let refreshed = recovery.takeWaitChange()
            recovery.fail(SourceFailure(.refused(403), ""))
            let last = recovery.takeWaitChange()
            #expect(said == .waits(.silent) && refreshed == nil && last == .givenUp)
        }

        @Test("429 with Retry-After 60 recovers at once when the server delivers again")
        func recovers() {
            var recovery = recovery()
            var now: Int64 = 0
            for index in 0..<4 {
                let answer = recovery.retry(
                    .status(429, retryAfter: .seconds(60)),
                    begunAfter: index,
                    isPinned: false,
                    now,
                    0
                )
                #expect(answer == .retry(at: .original))
                now += Int64(recovery.pause(now) / .nanoseconds(1))
            }
            #expect(now == seconds(60))
            recovery.received(1 << 20)
            #expect(recovery.failure == nil && recovery.waitReason == nil && recovery.pause(now) == .zero)
        }

        @Test("A server that is overloaded for 600 s is given up, with its status")
        func givesUp() {
            var recovery = recovery()
            for index in 0..<40 {
                let answer = recovery.retry(busy, begunAfter: index, isPinned: false, seconds(15) * Int64(index), 0)
                #expect(answer == .retry(at: .original))
            }
            let last = recovery.retry(busy, begunAfter: 40, isPinned: false, seconds(600), 0)
            #expect(last == .giveUp(.busy(503)))
        }

        @Test("A pause can be ended")
        func endsPause() {
            var recovery = recovery()
            _ = recovery.retry(busy, begunAfter: 0, isPinned: false, 0, 0)
            recovery.endPause(requestedByClient: false)
            #expect(recovery.pause(0) == .zero)
        }

        @Test("When the network is back, a transient failure is retried at once; a new failure waits")
        func revivesAtOnce() {
            var recovery = recovery()
            recovery.fail(SourceFailure(.lost, ""))
            let early = recovery.isRevivalDue(seconds(1))
            recovery.endPause(requestedByClient: false)
            let back = recovery.isRevivalDue(seconds(1))
            recovery.begin()
            recovery.fail(SourceFailure(.lost, ""))
            let again = recovery.isRevivalDue(seconds(2))
            #expect([early, back, again] == [false, true, false])
        }

        @Test(
            "Only transient failures are retried, some time after a reader has asked",
            arguments: [
                (.lost, true), (.busy(503), true), (.proxy, true), (.refused(403), false), (.changed, false),
                (.notFound(404), false), (.missing, true), (.denied, false), (.login, false), (.folder, false),
            ] as [(SourceFailure.Kind, Bool)]
        )
        func revives(kind: SourceFailure.Kind, isRevived: Bool) {
            var recovery = recovery()
            let early = recovery.isRevivalDue(seconds(100))
            recovery.fail(SourceFailure(kind, ""))
            let due = [100, 104.9, 105].map { recovery.isRevivalDue(seconds($0)) }
            #expect(!early && due == [false, false, isRevived])
        }

        @Test(
            "A client's request retries every failure except a change of the source, once",
            arguments: [(.lost, true), (.refused(403), true), (.changed, false)] as [(SourceFailure.Kind, Bool)]
        )
        func revivesOnDemand(kind: SourceFailure.Kind, isRevived: Bool) {
            var recovery = recovery()
            recovery.fail(SourceFailure(kind, ""))
            recovery.endPause(requestedByClient: true)
            let asked = recovery.isRevivalDue(0)
            recovery.fail(SourceFailure(kind, ""))
            let again = recovery.isRevivalDue(0)
            #expect(asked == isRevived && !again)
        }

        @Test("A refresh forgets every failure except that the resource has changed")
        func begins() {
            var recovery = recovery()
            _ = recovery.retry(busy, begunAfter: 0, isPinned: false, 0, 0)
            recovery.fail(SourceFailure(.refused(403), ""))
            recovery.begin()
            #expect(recovery.failure == nil && recovery.waitReason == nil && recovery.pause(0) == .zero)
            recovery.fail(SourceFailure(.changed, ""))
            recovery.begin()
            #expect(recovery.failure?.kind == .changed)
        }
    }
}
