// SPDX-License-Identifier: Apache-2.0

internal import NIOHTTP1

/// The outcome of the conditional headers of a GET or HEAD request for a resource that exists (RFC 9110 §13.2.2).
///
/// `If-Unmodified-Since` and `If-Modified-Since` are ignored, because no resource has a modification date.
enum Precondition: Equatable {
    case met
    /// Status 304: the client has the current bytes.
    case notModified
    /// Status 412: the client wants bytes other than the current ones.
    case failed

    /// - Parameter tag: the resource's tag; `nil` if it has none.
    init(_ headers: HTTPHeaders, tag: EntityTag?) {
        if let wanted = headers.combined("If-Match"), wanted != "*", tag?.isListed(in: wanted) != true {
            self = .failed
        } else if let known = headers.combined("If-None-Match"),
            known == "*" || tag?.isListed(weaklyIn: known) == true
        {
            self = .notModified
        } else {
            self = .met
        }
    }
}

extension HTTPHeaders {
    /// All values of a header joined into one list, or `nil` if it is missing.
    func combined(_ name: String) -> String? {
        let values = self[name]
        return values.isEmpty ? nil : values.joined(separator: ",")
    }
}
