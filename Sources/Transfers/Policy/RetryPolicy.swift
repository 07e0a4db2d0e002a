// SPDX-License-Identifier: Apache-2.0

/// Decides when and where a failed request is retried. Pure: the caller passes in the time, in nanoseconds of
/// CLOCK_MONOTONIC, and a random number.
///
/// A streak is a series of failures without progress. Overload responses (429, 503, 509, and any 5xx with
/// `Retry-After`) are retried until `Limits.refusals` has passed; every other failure counts as an attempt. If nothing
/// was received between two overload responses, the pause is at least as long as without `Retry-After`.
///
/// Tuners and streaming servers answer 403 or 404 while they restart. For a live stream that has been received, such a
/// refusal counts as an attempt.
///
/// Until a server has answered for the first time, no attempt begins or lasts longer than `Limits.opening` after the
/// first request. The first attempt has only its own time-outs. A request after that time is a first request again.
package struct RetryPolicy: Sendable {
    package struct Limits: Hashable, Sendable {
        package var firstPause = Duration.milliseconds(500)
        package var longestPause = Duration.seconds(8)
        /// A longer `Retry-After` is reduced to this.
        package var longestRetryAfter = Duration.seconds(15)
        /// The number of received bytes that ends a streak.
        package var progress: Int64 = 512 << 10
        /// The maximum number of attempts in a streak.
        package var attempts = 12
        /// The maximum number of attempts in a streak before any progress, unless the source counts as one that delivers.
        package var firstAttempts = 4
        /// The time from the first request after which a server that has never answered is given up.
        package var opening = Duration.seconds(20)
        /// With less time left of `opening`, no further attempt begins.
        package var shortestAttempt = Duration.seconds(1)
        /// The time for which overload responses are retried, from the first one of a streak.
        package var refusals = Duration.seconds(600)

        package init() {}

        /// The limits with which no request is retried.
        package static var none: Self {
            var limits = Self()
            (limits.attempts, limits.firstAttempts, limits.refusals) = (1, 1, .zero)
            return limits
        }
    }

    package enum Failure: Hashable, Sendable {
        /// No response, or one that was truncated, stalled or malformed.
        case lost
        /// A response that delivered a live stream has ended. The first new request is sent at once.
        case ended
        /// A response with an unexpected status.
        /// - `retryAfter`: the pause that `Retry-After` requests.
        case status(Int, retryAfter: Duration? = nil)
        /// A response with something other than the requested range, such as a page. The first new request is sent at
        /// once.
        case rangeIgnored
        /// A retry cannot help: an invalid certificate, a forbidden address, a changed resource.
        case final
    }

    /// The URL of the next request.
    package enum Target: Hashable, Sendable {
        /// The URL that the redirects led to.
        case redirected
        /// The source's own URL.
        case original
    }

    package enum Answer: Hashable, Sendable {
        case retry(after: Duration, at: Target)
        case giveUp(Reason)
    }

    package enum Reason: Hashable, Sendable {
        /// 401, 403, 407, 410, 451 and other 4xx statuses. New credentials or a new URL may help.
        case refused(Int)
        case notFound(Int)
        /// The server was overloaded for too long.
        case busy(Int)
        /// Too many failures without progress.
        case exhausted
        case final
    }

    private let limits: Limits
    private var bytes: Int64 = 0
    private var hasProgressed = false
    private var attempts = 0
    private var pauses = 0
    private var hasResolvedAgain = false
    private var refusedSince: Int64?
    /// Whether nothing was received since the latest overload response.
    private var isRefusing = false
    /// When the first request was sent. `nil` once the server has answered, and before the first request.
    private var silentSince: Int64?
    private var hasAnswered = false

    /// - Parameter delivers: whether the source counts as one that has made progress, although it has not delivered
    ///   anything yet: other resources of the same presentation have been delivered.
    package init(_ limits: Limits = Limits(), delivers: Bool = false) {
        self.limits = limits
        (hasProgressed, hasAnswered) = (delivers, delivers)
    }

    /// Records bytes received from the network; cached bytes do not count.
    package mutating func received(_ count: Int64) {
        bytes += count
        if count > 0 {
            isRefusing = false
            answered()
        }
        guard bytes >= limits.progress else { return }
        self = RetryPolicy(limits, delivers: true)
    }

    /// Records a request.
    ///
    /// - Parameter time: when it is sent.
    /// - Returns: the longest time that it may take without an answer, in addition to its own time-outs. `nil` if there
    ///   is no such limit.
    package mutating func requested(at time: Int64) -> Duration? {
        guard !hasAnswered else { return nil }
        // A pause lasts less than what is left, so if none is left, nobody needed the server: this is a first request.
        if let left = openingLeft(at: time), left <= .zero { self = RetryPolicy(limits) }
        silentSince = silentSince ?? time
        return attempts == 0 ? nil : openingLeft(at: time)
    }

    /// - Parameters:
    ///   - isPinned: whether the failed request was sent to the target of a redirect.
    ///   - isLive: whether the request was to continue a live stream.
    ///   - chance: a random number in 0..<1, which shortens the pause by up to a quarter, so that clients do not retry
    ///     in lockstep.
    package mutating func failed(
        _ failure: Failure,
        isPinned: Bool,
        isLive: Bool = false,
        now: Int64,
        chance: Double
    ) -> Answer {
        if failure != .lost { answered() }
        switch failure {
        case .final: return .giveUp(.final)
        case .lost: return attempt(.redirected, now, chance)
        case .ended, .rangeIgnored: return attempt(.original, now, chance, isFirstAtOnce: true)
        case .status(429, let retryAfter), .status(503, let retryAfter), .status(509, let retryAfter):
            return refused(failure, retryAfter, now, chance)
        case .status(500..., .some(let retryAfter)): return refused(failure, retryAfter, now, chance)
        case .status(408, _), .status(421, _), .status(425, _): return attempt(.redirected, now, chance)
        case .status(500..., nil): return attempt(.original, now, chance)
        case .status(let status, _):
            if isPinned, !hasResolvedAgain, [401, 403, 404, 410].contains(status) {
                hasResolvedAgain = true
                return .retry(after: .zero, at: .original)
            }
            if isLive, ![401, 407, 451].contains(status) {
                let answer = attempt(.original, now, chance)
                if case .retry = answer { return answer }
            }
            return .giveUp(status == 404 ? .notFound(status) : .refused(status))
        }
    }

    private mutating func answered() { (hasAnswered, silentSince) = (true, nil) }

    /// What is left of `Limits.opening`. `nil` if the server has answered.
    private func openingLeft(at time: Int64) -> Duration? {
        silentSince.map { limits.opening - .nanoseconds(time - $0) }
    }

    private mutating func attempt(
        _ target: Target,
        _ now: Int64,
        _ chance: Double,
        isFirstAtOnce: Bool = false
    ) -> Answer {
        attempts += 1
        guard attempts < (hasProgressed ? limits.attempts : limits.firstAttempts) else { return .giveUp(.exhausted) }
        let pause = isFirstAtOnce && attempts == 1 ? .zero : pause(chance)
        if let left = openingLeft(at: now), left - pause < limits.shortestAttempt { return .giveUp(.exhausted) }
        return .retry(after: pause, at: target)
    }

    private mutating func refused(
        _ failure: Failure,
        _ retryAfter: Duration?,
        _ now: Int64,
        _ chance: Double
    ) -> Answer {
        let since = refusedSince ?? now
        refusedSince = since
        guard .nanoseconds(now - since) < limits.refusals else {
            guard case .status(let status, _) = failure else { return .giveUp(.exhausted) }
            return .giveUp(.busy(status))
        }
        guard let retryAfter else { return .retry(after: pause(chance), at: .original) }
        // A server that delivers nothing between two refusals is not asked more often than without the field.
        let least = isRefusing ? pause(chance) : .zero
        isRefusing = true
        return .retry(after: max(least, min(retryAfter, limits.longestRetryAfter)), at: .original)
    }

    private mutating func pause(_ chance: Double) -> Duration {
        let whole = min(limits.longestPause, limits.firstPause * (1 << min(pauses, 16)))
        pauses += 1
        return whole * (1 - min(max(chance, 0), 1) / 4)
    }
}

/// Parses `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The pause that the field requests, at most a day. `nil` if it is malformed.
    ///
    /// - Parameter now: seconds since 1970, for the form with a date.
    package static func pause(_ field: String, now: Int64) -> Duration? {
        if let seconds = Int64(field), seconds >= 0 { return .seconds(min(seconds, 86_400)) }
        guard let date = seconds(ofDate: field) else { return nil }
        return .seconds(max(0, min(date - now, 86_400)))
    }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers may send (RFC 9110 §5.6.7).
    static func seconds(ofDate text: String) -> Int64? {
        let words = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(words[2])), let year = Int64(words[3]),
            (1970...9999).contains(year)
        else { return nil }
        let time = words[4].split(separator: ":").map { Int64($0) ?? -1 }
        guard time.count == 3, (0..<24).contains(time[0]), (0..<60).contains(time[1]), (0...60).contains(time[2]) else {
            return nil
        }
        return days(year: year, month: Int64(month) + 1, day: day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
    }

    /// The days since 1970-01-01 of a date of the proleptic Gregorian calendar from the year 1 on.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years are counted from March, so that a leap day is the last day of a year.
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
