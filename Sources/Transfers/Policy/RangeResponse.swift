// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Identifies the version of a resource, from the server's response.
package struct ResourceState: Hashable, Sendable {
    /// The whole length; `nil` if the server does not report it.
    package var byteCount: Int64?
    /// The strong entity tag, with its quotes; `nil` if there is none (RFC 9110 §8.8.3).
    package var tag: String?
    /// The weak entity tag, without its `W/`, or a strong one that is not ASCII; `nil` if there is none. Another tag
    /// means that the resource has changed; the same weak tag proves nothing, so `If-Range` never carries it.
    package var weakTag: String?
    /// `Last-Modified` as the server writes it.
    package var modified: String?

    package init(byteCount: Int64? = nil, tag: String? = nil, weakTag: String? = nil, modified: String? = nil) {
        self.byteCount = byteCount
        self.tag = tag
        self.weakTag = weakTag
        self.modified = modified
    }

    /// Whether both may describe the same version: no known value differs.
    ///
    /// Tags are compared weakly, because a server may state a strong tag in one response and the same one as weak in
    /// another. Without tags, `Last-Modified` is compared; with a tag, it is not, because the machines behind one name
    /// may have different times for the same file. The times of a resource without a length are not compared either:
    /// each connection to a live stream may have its own.
    package func agrees(with other: ResourceState) -> Bool {
        if let byteCount, let others = other.byteCount, byteCount != others { return false }
        let (own, others) = (tag ?? weakTag, other.tag ?? other.weakTag)
        if let own, let others { return own == others }
        guard own == nil, others == nil, byteCount != nil, other.byteCount != nil else { return true }
        guard let modified, let changed = other.modified else { return true }
        return modified == changed
    }

    /// Whether a response with the whole resource is taken for the known version: the lengths are equal, and, if a tag
    /// or a time is known, one of them is equal too.
    func confirms(_ known: ResourceState) -> Bool {
        guard agrees(with: known), byteCount != nil, byteCount == known.byteCount else { return false }
        guard let tag = known.tag ?? known.weakTag else { return known.modified == nil || modified == known.modified }
        return tag == (self.tag ?? weakTag) || (known.modified != nil && modified == known.modified)
    }

    /// Fills in unknown values from a response that agrees.
    package func merged(with other: ResourceState) -> ResourceState {
        ResourceState(
            byteCount: byteCount ?? other.byteCount,
            tag: tag ?? other.tag,
            weakTag: weakTag ?? other.weakTag,
            modified: modified ?? other.modified
        )
    }
}

/// The meaning of a response to a range request. Pure.
package enum RangeResponse: Hashable, Sendable {
    /// The body is this range: it begins at the requested offset and may be shorter than requested.
    case part(Range<Int64>, ResourceState)
    /// The body is the whole resource, and its first byte was requested.
    case whole(ResourceState)
    /// The body is the whole resource, but the requested range begins later: the server ignores ranges.
    case notRanged(ResourceState)
    /// The body is something other than the requested range, although the server has sent ranges before
    /// (`UnrangedResponses`).
    case rangeIgnored
    /// The requested range begins at or after the end of the resource.
    case pastEnd(ResourceState)
    /// The resource has changed since an earlier response.
    case changed(ResourceState)
    case redirect
    /// Any other status. `retryAfter` is the value of `Retry-After`.
    case refused(Int, retryAfter: String?)
    case invalid(Fault)

    package enum Fault: Hashable, Sendable {
        /// The body has a `Content-Encoding` or a transfer coding other than `chunked`, although `identity` was
        /// requested.
        case encoded(String)
        /// No `Content-Range`, or a malformed one, or several parts.
        case noContentRange
        /// A range that was not requested.
        case otherRange(String)
        /// `Content-Length` contradicts `Content-Range`.
        case lengths
        /// A 2xx status that is not valid for a GET.
        case status(Int)
    }

    /// Whether the body has bytes of the resource that can be used.
    var hasBody: Bool {
        switch self {
        case .part, .whole: true
        default: false
        }
    }

    /// - Parameter known: the state from earlier responses.
    package init(_ head: ResponseHead, to asked: RequestedRange, known: ResourceState) {
        switch head.status {
        case 200: self = Self.complete(head, asked, known)
        case 206: self = Self.partial(head, asked, known)
        case 412: self = .changed(ResourceState())
        case 416: self = Self.unsatisfied(head, asked, known)
        case let status where RedirectPolicy.isRedirect(status): self = .redirect
        case 200..<300: self = .invalid(.status(head.status))
        default: self = .refused(head.status, retryAfter: head["retry-after"])
        }
    }

    private static func complete(_ head: ResponseHead, _ asked: RequestedRange, _ known: ResourceState) -> Self {
        if let encoding = encoding(of: head) { return .invalid(.encoded(encoding)) }
        let isChunked = head.has("transfer-encoding")
        let length = isChunked ? nil : head["content-length"].flatMap { number($0[...]) }
        let state = Self.state(of: head, byteCount: length)
        guard state.agrees(with: known) else { return .changed(state) }
        return switch asked {
        case .whole, .from(0): .whole(state)
        case .bytes(let range) where range.lowerBound == 0: .whole(state)
        default: .notRanged(state)
        }
    }

    private static func partial(_ head: ResponseHead, _ asked: RequestedRange, _ known: ResourceState) -> Self {
        if let encoding = encoding(of: head) { return .invalid(.encoded(encoding)) }
        guard let field = head["content-range"], let (range, total) = contentRange(field), let range else {
            return .invalid(.noContentRange)
        }
        let state = Self.state(of: head, byteCount: total)
        guard state.agrees(with: known) else { return .changed(state) }
        if let total, range.upperBound > total { return .invalid(.otherRange(field)) }
        // The total is not stated, but the resource is longer than it was.
        if let length = known.byteCount, range.upperBound > length { return .changed(state) }
        let isAsked =
            switch asked {
            case .whole: false
            case .from(let first): range.lowerBound == first
            case .bytes(let wanted): range.lowerBound == wanted.lowerBound && range.upperBound <= wanted.upperBound
            case .last(let count):
                total.map { range.lowerBound == max(0, $0 - count) && range.upperBound == $0 } ?? false
            }
        guard isAsked else { return .invalid(.otherRange(field)) }
        if let length = head["content-length"], !head.has("transfer-encoding"),
            number(length[...]) != Int64(range.count)
        {
            return .invalid(.lengths)
        }
        return .part(range, state)
    }

    private static func unsatisfied(_ head: ResponseHead, _ asked: RequestedRange, _ known: ResourceState) -> Self {
        let total = head["content-range"].flatMap { contentRange($0) }?.total
        let state = ResourceState(byteCount: total)
        guard state.agrees(with: known) else { return .changed(state) }
        let first: Int64? =
            switch asked {
            case .whole, .last: nil
            case .from(let first): first
            case .bytes(let range): range.lowerBound
            }
        // The server refuses a range that lies within the resource.
        if let first, let end = total ?? known.byteCount, first < end { return .refused(416, retryAfter: nil) }
        return .pastEnd(state)
    }

    /// The encoding of the body, if there is one. Of transfer codings, only `chunked` is undone (RFC 9112 §7): the
    /// engine asks for no other.
    private static func encoding(of head: ResponseHead) -> String? {
        for (field, plain) in [
            ("content-encoding", ["", "identity"]), ("transfer-encoding", ["", "identity", "chunked"]),
        ]
        where head.has(field) {
            let value = head[field] ?? "several"
            if !plain.contains(value.lowercased()) { return value }
        }
        return nil
    }

    private static func state(of head: ResponseHead, byteCount: Int64?) -> ResourceState {
        var state = ResourceState(byteCount: byteCount)
        let field = head["etag"] ?? ""
        let isWeak = field.hasPrefix("W/")
        let tag = String(field.dropFirst(isWeak ? 2 : 0))
        if tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") {
            // `If-Range` could not repeat a tag whose bytes are not ASCII as the server wrote it.
            if isWeak || !tag.utf8.allSatisfy({ $0 < 0x80 }) { state.weakTag = tag } else { state.tag = tag }
        }
        // If the server generates a resource for each response, this is the time of the response, not of a version.
        if let modified = head["last-modified"], modified != head["date"] { state.modified = modified }
        return state
    }

    /// `bytes first-last/total`, where the range or the total may be `*` (RFC 9110 §14.4).
    static func contentRange(_ field: String) -> (range: Range<Int64>?, total: Int64?)? {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let total = number(halves[1])
        guard total != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" { return total == nil ? nil : (nil, total) }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { number($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
        return (first..<last + 1, total)
    }

    /// A length: digits only, below 2^62.
    private static func number(_ text: Substring) -> Int64? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int64(text), value < 1 << 62
        else { return nil }
        return value
    }
}
