// SPDX-License-Identifier: Apache-2.0

/// The name of a source as messages show it. A text that looks like a URL is shown without user name, password, query and fragment,
/// even if no parser accepts it. Pure.
package enum ShownURL {
    /// - Parameter source: as a client gave it. An absolute path, a `file:` URL of this host and `pipe:` with a path hold no
    ///   secrets, and are returned unchanged.
    package static func text(of source: String) -> String {
        // Bytes are compared, not characters: a combining character after a delimiter would hide it.
        let bytes = source.utf8
        guard !isLocal(source), let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return source }
        let afterColon = bytes.index(after: colon)
        let hasAuthority = bytes[afterColon...].starts(with: "//".utf8)
        let start = hasAuthority ? bytes.index(afterColon, offsetBy: 2) : afterColon
        var rest = bytes[start...]
        // The end of the authority is unknown in a URL without `//`.
        var authority = hasAuthority ? rest.prefix { !"/?#".utf8.contains($0) } : rest
        // Nothing is hidden in `udp://@:5000`, as other programs write it.
        if let at = authority.lastIndex(of: UInt8(ascii: "@")), at > authority.startIndex {
            rest = rest[at...].dropFirst()
            authority = authority[at...].dropFirst()
        }
        // A slash, a question mark or a number sign that is not escaped in a password seems to end the authority. The part of
        // the password before it then seems to be a port.
        if hasAuthority, !endsInPort(authority), let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            rest = rest[at...].dropFirst()
        }
        let place = rest.prefix { !"?#".utf8.contains($0) }
        return String(source[..<start]) + String(source[place.startIndex..<place.endIndex])
    }

    private static func isLocal(_ source: String) -> Bool {
        source.utf8.first == UInt8(ascii: "/") || source.utf8.starts(with: "pipe:/".utf8)
            || FilePath(fileURL: source) != nil
    }

    /// Whether an authority has no port, or a number as its port.
    private static func endsInPort(_ place: Substring.UTF8View) -> Bool {
        let end = place.lastIndex(of: UInt8(ascii: "]")) ?? place.startIndex
        guard let colon = place[end...].lastIndex(of: UInt8(ascii: ":")) else { return true }
        return place[colon...].dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
