// SPDX-License-Identifier: Apache-2.0

/// The token and path of a request target.
struct RequestTarget: Equatable {
    let token: String
    let path: String
    /// Whether a slash follows the token.
    let hasSlash: Bool
    /// Without the question mark, not decoded. Empty if there is none.
    let query: String
    /// The authority of a target in absolute form, which takes precedence over `Host` (RFC 9112 §3.2.2).
    let authority: String?

    /// Returns `nil` if no resource can have this target. Resource names never need percent-encoding, so a target that
    /// contains any is rejected.
    init?(_ target: String) {
        var rest = target[...]
        let scheme = "http://"
        if target.prefix(scheme.count).lowercased() == scheme {
            rest = rest.dropFirst(scheme.count)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        } else {
            authority = nil
        }
        guard rest.first == "/" else { return nil }
        if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        query = String(rest[mark...].dropFirst())
        rest = rest[..<mark]
        let isPlain = rest.utf8.allSatisfy {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "\\")
        }
        guard isPlain else { return nil }
        let components = rest.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let token = components.first, !token.isEmpty else { return nil }
        self.token = String(token)
        path = components.count > 1 ? String(components[1]) : ""
        hasSlash = components.count > 1
    }
}
