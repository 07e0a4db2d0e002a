// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Decides what follows a failed request of a source: a pause before the next attempt, or the failure of the source.
/// Pure; times are in nanoseconds of CLOCK_MONOTONIC.
struct SourceRecovery: Sendable {
    enum Outcome: Hashable, Sendable {
        /// The failure was already counted, together with that of a concurrent request.
        case counted
        case retry(at: RetryPolicy.Target)
        case giveUp(SourceFailure.Kind)
    }

    private let limits: RetryPolicy.Limits
    private let revival: Int64
    private var retries: RetryPolicy
    private var shortAnswers = ShortAnswers()
    private var notBefore: Int64 = 0
    /// The time from which the source may be tried again after its failure. 0 until a reader requests it; `.min` means
    /// at once.
    private var revivalTime: Int64 = 0
    /// Whether a client has requested another attempt since the failure.
    private var isRetryRequested = false
    private var takenWait: SourceWait?
    /// The reason why the source cannot be read.
    private(set) var failure: SourceFailure?
    private(set) var waitReason: SourceWait?
    /// Whether bytes have ended the latest wait.
    private var hasResumed = false
    /// The number of failures. A request that began before the latest failure and fails after it is not counted again.
    private(set) var failures = 0

    /// - Parameters:
    ///   - delivers: as for `RetryPolicy`, until the source fails.
    ///   - revival: how long after a transient failure the source is tried again.
    init(_ limits: RetryPolicy.Limits, delivers: Bool = false, revival: Duration) {
        self.limits = limits
        self.revival = Int64(revival / .nanoseconds(1))
        retries = RetryPolicy(limits, delivers: delivers)
    }

    /// Whether only one request at a time is sent, to test whether the server is back. A silent request does not delay
    /// others.
    var isTesting: Bool {
        switch waitReason {
        case .retrying: true
        case nil, .silent: false
        }
    }

    /// The time that the next request must wait.
    func pause(_ now: Int64) -> Duration { .nanoseconds(max(0, notBefore - now)) }

    /// Records a request that is sent after `pause`.
    ///
    /// - Returns: the longest time that it may take without an answer. `nil` if only its own time-outs apply.
    mutating func requested(after pause: Duration, _ now: Int64) -> Duration? {
        retries.requested(at: now + Int64(pause / .nanoseconds(1)))
    }

    /// Ends the pause. The next request does not wait, and after a transient failure the next read tries again.
    ///
    /// - Parameter requestedByClient: whether a client requests another attempt. It then follows any failure except a
    ///   change of the source.
    mutating func endPause(requestedByClient: Bool) {
        notBefore = 0
        revivalTime = .min
        isRetryRequested = isRetryRequested || requestedByClient
    }

    /// How delivery has changed since the last call. `nil` if it has not.
    mutating func takeWaitChange() -> SourceDelivery? {
        guard waitReason != takenWait else { return nil }
        takenWait = waitReason
        return waitReason.map { .waits($0) } ?? (hasResumed ? .resumed : .givenUp)
    }

    private mutating func endWait(byBytes hasResumed: Bool) {
        guard waitReason != nil else { return }
        (waitReason, self.hasResumed) = (nil, hasResumed)
    }

    /// - Parameter count: the received bytes that are new.
    mutating func received(_ count: Int64) {
        endWait(byBytes: true)
        retries.received(count)
    }

    /// Records a complete answer.
    ///
    /// - Returns: whether the latest answers of the server were so short that they count as a failure.
    mutating func areAnswersTooShort(including fetch: RunningFetches.Fetch, _ facts: TransferFacts) -> Bool {
        shortAnswers.add(isShort: fetch.isShort, byteCount: facts.byteCount, time: facts.totalTime)
    }

    mutating func wentQuiet() { waitReason = .silent }

    /// Nothing more is requested, so that nothing is waited for.
    mutating func ended() { endWait(byBytes: false) }

    mutating func fail(_ failure: SourceFailure) {
        self.failure = failure
        endWait(byBytes: false)
        (revivalTime, isRetryRequested) = (0, false)
    }

    /// Whether a transient failure, such as an unreachable server or a missing file on it, is old enough for another
    /// attempt, or a client has requested one. The time counts from the first call.
    mutating func isRevivalDue(_ now: Int64) -> Bool {
        guard let failure, failure.mayReturn || isRetryRequested && failure.kind != .changed else { return false }
        if revivalTime == 0 { revivalTime = now + revival }
        return now >= revivalTime
    }

    /// Forgets all failures except that the resource has changed. Does not end a wait.
    mutating func begin() {
        if failure?.kind != .changed { failure = nil }
        retries = RetryPolicy(limits)
        revivalTime = 0
        notBefore = 0
    }

    /// Decides how to continue after a failed request.
    ///
    /// - Parameters:
    ///   - begun: `failures` when the request began.
    ///   - isPinned: whether it was sent to the target of a redirect.
    ///   - isLive: whether it was to continue a live stream.
    ///   - chance: a random number in 0..<1.
    mutating func retry(
        _ cause: RetryPolicy.Failure,
        begunAfter begun: Int,
        isPinned: Bool,
        isLive: Bool = false,
        _ now: Int64,
        _ chance: Double
    ) -> Outcome {
        guard begun == failures else { return .counted }
        failures += 1
        switch retries.failed(cause, isPinned: isPinned, isLive: isLive, now: now, chance: chance) {
        case .retry(let pause, let target):
            notBefore = now + Int64(pause / .nanoseconds(1))
            if cause == .ended, pause == .zero {
                endWait(byBytes: false)
            } else {
                waitReason = .retrying(status: cause.status)
            }
            return .retry(at: target)
        case .giveUp(let reason):
            return switch reason {
            case .refused(let status): .giveUp(.refused(status))
            case .notFound(let status): .giveUp(.notFound(status))
            case .busy(let status): .giveUp(.busy(status))
            case .exhausted, .final: .giveUp(.lost)
            }
        }
    }
}

extension RetryPolicy.Failure {
    /// The status of the response, as reported to clients. `nil` if there was none that explains the failure.
    fileprivate var status: Int? {
        switch self {
        case .status(let status, _): status
        case .rangeIgnored: 200
        case .lost, .ended, .final: nil
        }
    }
}
