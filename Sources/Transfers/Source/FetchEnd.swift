// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// The end of a request that was not cancelled, and what it means for its source. Pure; times are in nanoseconds of
/// CLOCK_MONOTONIC.
struct FetchEnd {
    enum Outcome {
        /// The server has completed the body, or the scheduler has declined the rest.
        case settled
        case redirected
        /// The response has no bytes, but has told something about the resource.
        case informed
        case retried(RetryPolicy.Failure)
        case failed(SourceFailure.Kind)
    }

    /// What follows after the server has completed a body, or the scheduler has declined the rest of it.
    enum Settlement: Hashable {
        /// All bytes of the request have arrived.
        case received
        /// The scheduler needed no more bytes.
        case declined
        /// The source ends where its body ended.
        case streamEnded
        case brokenOff(RetryPolicy.Failure)
    }

    let fetch: RunningFetches.Fetch
    let report: TransferReport
    let now: Int64
    /// A random number in 0..<1, for the pause before the next attempt.
    let chance: Double

    /// The report in words.
    var detail: String { report.description }

    /// Whether the response is an HTML page, or states that the resource ends before the range (416).
    private var isPage: Bool { report.facts.head.map { $0.status == 416 || $0.isPage } ?? false }

    /// Why the source fails if it has no attempt left. A page to which a redirect leads does not show that the source
    /// has changed, which would be final.
    private var exhaustion: SourceFailure.Kind {
        if case .failed(let error) = report.end, error.fault == .proxy { return .proxy }
        return .lost
    }

    /// Why the source fails, if it fails with `kind` because of this request.
    ///
    /// - Parameter wall: the time in seconds since 1970.
    func cause(of kind: SourceFailure.Kind, wall: Int64) -> SourceFailure.Kind {
        switch kind {
        case .lost: return exhaustion
        case .refused(let status) where status != 407:
            guard let expiry = PresignedURL.expiry(of: fetch.route.url), expiry <= wall else { return kind }
            return .expired(status)
        default: return kind
        }
    }

    /// - Parameter wall: the time in seconds since 1970.
    func outcome(wall: Int64) -> Outcome {
        switch (report.end, fetch.response) {
        case (.refused(let refusal), _):
            return refusal.kind == .unreachable ? .retried(.lost) : .failed(SourceFailure.Kind(refusal.kind))
        case (.complete, .part), (.complete, .whole), (.declined, .part), (.declined, .whole): return .settled
        case (_, .redirect): return .redirected
        // A redirect may lead to the page of a captive portal. The range may lie within that page or beyond its end.
        case (_, .changed) where fetch.route.isRedirected && isPage: return .retried(.rangeIgnored)
        case (_, .changed): return .failed(.changed)
        case (_, .invalid(let fault)): return .failed(.invalid(fault))
        case (_, .refused(let status, let retryAfter)):
            let pause = retryAfter.flatMap { RetryAfter.pause($0, now: wall) }
            return .retried(.status(status, retryAfter: pause))
        case (_, .rangeIgnored): return .retried(.rangeIgnored)
        case (_, .pastEnd), (_, .notRanged): return .informed
        case (.refusedAddress, _): return .failed(.address(fetch.refusedAddress ?? .forbidden))
        case (.failed(let error), _):
            guard let kind = SourceFailure.Kind(error.fault) else { return .retried(.lost) }
            return .failed(kind)
        default: return .retried(.lost)
        }
    }

    /// What the outcome `settled` means.
    ///
    /// - Parameters:
    ///   - byteCount: the length of the resource, if it is known.
    ///   - window: the window of a source whose server does not support ranges.
    func settlement(byteCount: Int64?, _ window: ForwardWindow?) -> Settlement {
        if fetch.rest.isEmpty { return .received }
        guard report.end == .complete else { return .declined }
        // The body ended early without an error: it was chunked, or the connection closed.
        guard byteCount == nil, let window else { return .brokenOff(.lost) }
        if window.isLive, window.hasProgressed { return .brokenOff(.ended) }
        // A stream that only repeats earlier bytes has ended. A page, such as that of a busy tuner, repeats nothing.
        let isRepetition = report.facts.byteCount > 0 && report.facts.head?.isPage != true
        return isRepetition || !window.isLive ? .streamEnded : .brokenOff(.lost)
    }
}
