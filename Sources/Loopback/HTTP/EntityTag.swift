// SPDX-License-Identifier: Apache-2.0

/// An entity tag as sent by this server. It is strong: equal tags mean equal bytes (RFC 9110 §8.8.3).
struct EntityTag: Equatable {
    let quoted: String

    init(_ opaque: String) { quoted = "\"\(opaque)\"" }

    /// Whether a list of tags, as in `If-None-Match`, names this one. The comparison is weak (RFC 9110 §8.8.3.2).
    func isListed(weaklyIn header: String) -> Bool {
        Self.members(of: header).contains { $0 == quoted || $0 == "W/\(quoted)" }
    }

    /// Whether a list of tags, as in `If-Match`, names this one. The comparison is strong: a weak tag never matches.
    func isListed(in header: String) -> Bool { Self.members(of: header).contains { $0 == quoted } }

    /// `If-Range` (RFC 9110 §13.1.5): strong comparison. A date never matches, because the server sends no
    /// `Last-Modified`.
    func matches(ifRange header: String) -> Bool { header == quoted }

    private static func members(of header: String) -> [Substring] {
        header.split(separator: ",").map { member in
            member.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        }
    }
}
