// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// Judges answers without a range (200) of a server that has sent ranges of the resource before. Pure.
///
/// One machine behind a name may ignore ranges, a server may not understand `If-Range`, and a captive portal answers every
/// request with its page. None of these ends the source: the request is sent again.
struct WholeAnswers: Sendable {
    /// A server that ignores ranges for so many attempts in a row no longer supports them.
    private static let limit = 3

    /// Whether the server has sent a range.
    private var isRanged = false
    /// Whether the resource itself is delivered as a page.
    private var isMarkup = false
    /// The number of consecutive attempts that were answered without a range.
    private var count = 0
    /// `failures` of the latest of these attempts. Concurrent requests are one attempt.
    private var latest: Int?
    /// Whether the server has answered a condition that was met (`If-Range`) without the range.
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
            if !isRanged { isMarkup = Self.isPage(head) }
            (isRanged, count, latest) = (true, 0, nil)
            return response
        }
        guard isRanged, head.status == 200 else { return response }
        if Self.isPage(head), !isMarkup { return .rangeIgnored }
        guard case .whole(let found) = response.withoutRange else { return response }
        let isSame = found.confirms(known)
        if isSame { ignoresConditions = true }
        if latest != failures { (count, latest) = (count + 1, failures) }
        if count < Self.limit { return .rangeIgnored }
        return isSame ? response : .changed(found)
    }

    /// Forgets that ranges were sent, because the whole resource is received from its start.
    mutating func forget() { self = WholeAnswers() }

    private static func isPage(_ head: ResponseHead) -> Bool {
        let type = head["content-type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
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
