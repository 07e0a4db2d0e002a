// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Transfers

private func seconds(_ count: Double) -> Int64 { Int64(count * 1e9) }

@Suite("Retry policy")
struct RetryPolicyTests {
    private typealias Answer = RetryPolicy.Answer

    /// A policy's answer to a failure.
    private func next(_ policy: inout RetryPolicy, _ failure: RetryPolicy.Failure, isPinned: Bool) -> Answer {
        policy.failed(failure, isPinned: isPinned, now: 0, chance: 0)
    }

    /// A policy's answers to the same failure, repeated.
    private func answers(
        _ failure: RetryPolicy.Failure,
        _ policy: inout RetryPolicy,
        count: Int,
        chance: Double = 0
    ) -> [Answer] {
        (0..<count).map { _ in policy.failed(failure, isPinned: false, now: 0, chance: chance) }
    }

    @Test("Pauses double up to eight seconds, and a source that never delivered gets four attempts")
    func endsFirstStreak() {
        var policy = RetryPolicy()
        let expected: [RetryPolicy.Answer] = [0.5, 1, 2].map { .retry(after: .seconds($0), at: .redirected) }
        #expect(answers(.lost, &policy, count: 4) == expected + [.giveUp(.exhausted)])
    }

    @Test("After progress there are twelve attempts, and progress ends a streak")
    func endsStreaks() {
        var policy = RetryPolicy()
        _ = policy.failed(.lost, isPinned: false, now: 0, chance: 0)
        policy.received(512 << 10)
        let pauses = [0.5, 1, 2, 4] + Array(repeating: 8.0, count: 7)
        let expected: [RetryPolicy.Answer] = pauses.map { .retry(after: .seconds($0), at: .redirected) }
        #expect(answers(.lost, &policy, count: 12) == expected + [.giveUp(.exhausted)])
    }

    @Test("A resource of a presentation that delivers gets twelve attempts, even if the server has never answered")
    func continuesDelivery() {
        var policy = RetryPolicy(delivers: true)
        var now = 0.0
        var pauses: [Duration] = []
        while pauses.count < 12, policy.requested(at: seconds(now)) == nil,
            case .retry(let pause, .redirected) = policy.failed(.lost, isPinned: false, now: seconds(now), chance: 0)
        {
            pauses.append(pause)
            now += pause / .seconds(1)
        }
        #expect(pauses == ([0.5, 1, 2, 4] + Array(repeating: 8, count: 7)).map { .seconds($0) })
    }

    @Test("A resource of a presentation that delivers is missing at the first answer that says so")
    func isMissing() {
        var policy = RetryPolicy(delivers: true)
        #expect(next(&policy, .status(404), isPinned: false) == .giveUp(.notFound(404)))
    }

    @Test("A server that has never answered is given up 20 s after the first request")
    func endsOpening() {
        var policy = RetryPolicy()
        var limits: [Duration?] = [], answers: [Answer] = []
        for (begin, end) in [(100.0, 110.0), (110.5, 118), (119, 120)] {
            limits.append(policy.requested(at: seconds(begin)))
            answers.append(policy.failed(.lost, isPinned: false, now: seconds(end), chance: 0))
        }
        #expect(limits == [nil, .seconds(9.5), .seconds(1)])
        let pauses: [Answer] = [0.5, 1].map { .retry(after: .seconds($0), at: .redirected) }
        #expect(answers == pauses + [.giveUp(.exhausted)])
    }

    @Test("No attempt begins with less than a second left")
    func beginsInTime() {
        for (end, isGivenUp) in [(18.5, false), (18.6, true)] {
            var policy = RetryPolicy()
            _ = policy.requested(at: 0)
            let answer = policy.failed(.lost, isPinned: false, now: seconds(end), chance: 0)
            #expect((answer == .giveUp(.exhausted)) == isGivenUp)
        }
    }

    @Test("A request long after the last failure is a first request again")
    func beginsAgain() {
        var policy = RetryPolicy()
        _ = policy.requested(at: 0)
        _ = policy.failed(.lost, isPinned: false, now: seconds(1), chance: 0)
        let first = policy.requested(at: seconds(60))
        let answer = policy.failed(.lost, isPinned: false, now: seconds(61), chance: 0)
        let second = policy.requested(at: seconds(62))
        #expect(first == nil && second == .seconds(18))
        #expect(answer == .retry(after: .seconds(0.5), at: .redirected))
    }

    @Test("A first attempt with longer time-outs is completed, and then the server is given up")
    func completesFirstAttempt() {
        var policy = RetryPolicy()
        let limit = policy.requested(at: 0)
        let answer = policy.failed(.lost, isPinned: false, now: seconds(60), chance: 0)
        #expect(limit == nil && answer == .giveUp(.exhausted))
    }

    @Test("The limit of 20 s does not apply once a server has answered", arguments: [true, false])
    func endsWithAnAnswer(byBytes: Bool) {
        var policy = RetryPolicy()
        _ = policy.requested(at: 0)
        if byBytes { policy.received(1) } else { _ = policy.failed(.status(502), isPinned: false, now: 0, chance: 0) }
        let answer = policy.failed(.lost, isPinned: false, now: seconds(60), chance: 0)
        let limit = policy.requested(at: seconds(61))
        #expect(answer != .giveUp(.exhausted) && limit == nil)
    }

    @Test("Less than 512 KiB between two failures is no progress, but smaller amounts add up")
    func needsProgress() {
        var policy = RetryPolicy()
        for _ in 0..<3 {
            policy.received(100 << 10)
            #expect(next(&policy, .lost, isPinned: false) != .giveUp(.exhausted))
        }
        policy.received(212 << 10)
        #expect(next(&policy, .lost, isPinned: false) == .retry(after: .seconds(0.5), at: .redirected))
    }

    @Test("A random number shortens a pause by up to a quarter")
    func jitters() {
        for (chance, pause) in [(0.0, 0.5), (0.5, 0.4375), (1, 0.375)] {
            var policy = RetryPolicy()
            let answer = policy.failed(.lost, isPinned: false, now: 0, chance: chance)
            #expect(answer == .retry(after: .seconds(pause), at: .redirected))
        }
    }

    @Test(
        "Retry-After is limited to fifteen seconds, and overload responses to ten minutes in all",
        arguments: [(429, 60.0 as Double?, 15.0), (503, 3, 3), (503, nil, 0.5), (500, 2, 2), (509, 0, 0)]
    )
    func obeysWishes(status: Int, retryAfter: Double?, pause: Double) {
        var policy = RetryPolicy()
        let failure = RetryPolicy.Failure.status(status, retryAfter: retryAfter.map { .seconds($0) })
        let first = policy.failed(failure, isPinned: true, now: 0, chance: 0)
        #expect(first == .retry(after: .seconds(pause), at: .original))
        for second in 1..<600 {
            let answer = policy.failed(failure, isPinned: false, now: Int64(second) * 1_000_000_000, chance: 0)
            guard case .retry = answer else {
                Issue.record("gave up after \(second) s")
                return
            }
        }
        let last = policy.failed(failure, isPinned: false, now: 600_000_000_000, chance: 0)
        #expect(last == .giveUp(.busy(status)))
    }

    @Test("Retry-After: 0 is obeyed once; after consecutive refusals, the pauses grow")
    func slowsDown() {
        var policy = RetryPolicy()
        let failure = RetryPolicy.Failure.status(503, retryAfter: .zero)
        let pauses = [0, 0.5, 1, 2, 4, 8, 8]
        let expected: [RetryPolicy.Answer] = pauses.map { .retry(after: .seconds($0), at: .original) }
        #expect(answers(failure, &policy, count: pauses.count) == expected)
        let longer = next(&policy, .status(503, retryAfter: .seconds(10)), isPinned: false)
        #expect(longer == .retry(after: .seconds(10), at: .original))
    }

    @Test("A server that refuses every second request with Retry-After: 0 is asked again at once")
    func staysFast() {
        var policy = RetryPolicy()
        for _ in 0..<20 {
            let answer = next(&policy, .status(503, retryAfter: .zero), isPinned: false)
            #expect(answer == .retry(after: .zero, at: .original))
            policy.received(1000)
        }
    }

    @Test(
        "A refused redirect target is resolved once more from the original URL, then the status is final",
        arguments: [(401, false), (403, false), (410, false), (404, true)]
    )
    func resolvesAgain(status: Int, isMissing: Bool) {
        var policy = RetryPolicy()
        let final = RetryPolicy.Answer.giveUp(isMissing ? .notFound(status) : .refused(status))
        #expect(next(&policy, .status(status), isPinned: true) == .retry(after: .zero, at: .original))
        #expect(next(&policy, .status(status), isPinned: true) == final)
        policy.received(1 << 20)
        #expect(next(&policy, .status(status), isPinned: true) == .retry(after: .zero, at: .original))
        #expect(next(&policy, .status(status), isPinned: false) == final)
    }

    @Test(
        "A live stream is requested again after refusals, with growing pauses, then the status is final",
        arguments: [403, 404, 410]
    )
    func waitsForRestart(status: Int) {
        var policy = RetryPolicy()
        policy.received(1 << 20)
        func failed(isPinned: Bool) -> RetryPolicy.Answer {
            policy.failed(.status(status), isPinned: isPinned, isLive: true, now: 0, chance: 0)
        }
        #expect(failed(isPinned: true) == .retry(after: .zero, at: .original))
        for pause in [0.5, 1, 2, 4, 8, 8, 8, 8, 8, 8, 8] {
            #expect(failed(isPinned: false) == .retry(after: .seconds(pause), at: .original))
        }
        #expect(failed(isPinned: false) == .giveUp(status == 404 ? .notFound(status) : .refused(status)))
    }

    @Test(
        "A refusal that asks for a login or states a legal reason ends a live stream, too",
        arguments: [401, 407, 451]
    )
    func endsLive(status: Int) {
        var policy = RetryPolicy()
        policy.received(1 << 20)
        let answer = policy.failed(.status(status), isPinned: false, isLive: true, now: 0, chance: 0)
        #expect(answer == .giveUp(.refused(status)))
    }

    @Test("An ignored range is requested again at once at the original URL, then after pauses")
    func asksAgain() {
        var policy = RetryPolicy()
        let expected: [RetryPolicy.Answer] = [0, 0.5, 1].map { .retry(after: .seconds($0), at: .original) }
        #expect(answers(.rangeIgnored, &policy, count: 4) == expected + [.giveUp(.exhausted)])
    }

    @Test("Other 4xx statuses are final at once", arguments: [400, 402, 405, 407, 414, 418, 451])
    func givesUp(status: Int) {
        var policy = RetryPolicy()
        #expect(next(&policy, .status(status), isPinned: true) == .giveUp(.refused(status)))
        #expect(next(&policy, .final, isPinned: true) == .giveUp(.final))
    }

    @Test(
        "After a gateway error the original URL is requested, after a timeout the redirected one",
        arguments: [(502, true), (408, false)]
    )
    func choosesTarget(status: Int, fromStart: Bool) {
        var policy = RetryPolicy()
        let answer = policy.failed(.status(status), isPinned: true, now: 0, chance: 0)
        #expect(answer == .retry(after: .seconds(0.5), at: fromStart ? .original : .redirected))
    }

    @Test(
        "Retry-After has seconds or a date",
        arguments: [
            ("0", 0), ("120", 120), ("Sun, 06 Nov 1994 08:49:37 GMT", 10), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
            ("-1", nil), ("soon", nil), ("", nil), ("Sun, 06 Nov 1994 08:49:37", nil), ("99999999999", 86_400),
        ] as [(String, Int64?)]
    )
    func readsWishes(field: String, seconds: Int64?) {
        #expect(RetryAfter.pause(field, now: 784_111_767) == seconds.map { .seconds($0) })
    }

    @Test(
        "Dates are converted to seconds, also in leap years",
        arguments: [("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Thu, 01 Jan 1970 00:00:00 GMT", 0)]
    )
    func readsDates(text: String, seconds: Int64) { #expect(RetryAfter.seconds(ofDate: text) == seconds) }
}
