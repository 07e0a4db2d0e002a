// SPDX-License-Identifier: Apache-2.0

/// An entity tag as sent by this server. It is strong: equal tags mean equal bytes (RFC 9110 §8.8.3).
struct EntityTag: Equatable {
    let quoted: String

    init(_ opaque: String) { quoted = "\"\(opaque)\"" }

    /// `If-None-Match` (RFC 9110 §13.1.2): weak comparison against each member of the list.
    func matches(anyIn header: String) -> Bool {
        header.split(separator: ",").contains { member in
            let tag = member.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
            return tag == "*" || tag == quoted || tag == "W/\(quoted)"
        }
    }

    /// `If-Range` (RFC 9110 §13.1.5): strong comparison. A date never matches, because the server sends no
    /// `Last-Modified`.
    func matches(ifRange header: String) -> Bool { header == quoted }
}
