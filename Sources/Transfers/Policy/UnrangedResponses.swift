// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Judges responses without a range (200) of a server that has sent ranges of the resource before. Pure.
///
/// One of several machines behind a host name may ignore ranges, a server may not understand `If-Range`, and a captive
/// portal responds to every request with its page. None of these ends the source: the request is sent again.
struct UnrangedResponses: Sendable {
    /// After this many consecutive attempts without a range, the server is assumed to have stopped supporting ranges.
    private static let limit = 3

    /// Whether the server has sent a range.
    private var isRanged = false
    /// Whether the resource itself is delivered as a page.
    private var isResourcePage = false
    /// The number of consecutive attempts without a range.
    private var attempts = 0
    /// `failures` of the latest of these attempts. Concurrent requests are one attempt.
    private var latestFailures: Int?
    /// Whether the server has responded without the range to a condition that was met (`If-Range`).
    private(set) var ignoresConditions = false

    /// The meaning of a response, given the earlier ones.
    ///
    /// - Parameters:
    ///   - response: its meaning by itself.
    ///   - known: the state from earlier responses.
    ///   - failures: see `RunningFetches.Fetch.failures`.
    mutating func judge(
        _ response: RangeResponse,
        _ head: TransferHead,
        known: ResourceState,
        begunAfter failures: Int
    ) -> RangeResponse {
        guard case .http(let head) = head else { return response }
        if case .part = response {
            if !isRanged { isResourcePage = head.isPage }
            (isRanged, attempts, latestFailures) = (true, 0, nil)
            return response
        }
        guard isRanged, head.status == 200 else { return response }
        if head.isPage, !isResourcePage { return .rangeIgnored }
        guard case .whole(let found) = response.withoutRange else { return response }
        let isSame = found.confirms(known)
        if isSame { ignoresConditions = true }
        if latestFailures != failures { (attempts, latestFailures) = (attempts + 1, failures) }
        if attempts < Self.limit { return .rangeIgnored }
        return isSame ? response : .changed(found)
    }

    /// Forgets that ranges were sent, because the whole resource is received from its start.
    mutating func forget() { self = UnrangedResponses() }
}

extension ResponseHead {
    /// Whether the body is an HTML page.
    var isPage: Bool {
        let type = self["content-type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        return type == "text/html" || type == "application/xhtml+xml"
    }
}

extension RangeResponse {
    /// A whole body, whether or not its first byte was requested, as `whole`.
    fileprivate var withoutRange: RangeResponse {
        if case .notRanged(let state) = self { return .whole(state) }
        return self
    }
}
