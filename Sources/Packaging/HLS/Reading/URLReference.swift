// SPDX-License-Identifier: Apache-2.0

/// A URI or a relative reference in its five components (RFC 3986 §3, §4.2). Resolves other references against itself.
/// Pure; percent-encoding and letter case stay unchanged.
///
/// The scheme is not restricted: the code that fetches a URL decides whether it may be fetched. A file's path is given
/// as a `file:` URL, because `?` and `#` in a plain path would be taken for a query and a fragment.
package struct URLReference: Hashable, Sendable {
    package private(set) var scheme: Substring?
    package private(set) var authority: Substring?
    package private(set) var path: Substring
    package private(set) var query: Substring?
    package private(set) var fragment: Substring?

    /// Splits any text (RFC 3986 appendix B).
    package init(_ text: String) {
        var rest = Substring(text)
        if let colon = rest.utf8.firstIndex(where: { ":/?#".utf8.contains($0) }), rest.utf8[colon] == UInt8(ascii: ":"),
            Self.isScheme(rest[..<colon])
        {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = rest[rest.utf8.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// The target of `reference` (RFC 3986 §5.2.2), as text.
    package func resolving(_ reference: String) -> String {
        var target = URLReference(reference)
        if target.scheme != nil {
            // Without an authority or a root, as in `data:`, the path has no segments.
            if target.authority != nil || target.path.utf8.first == UInt8(ascii: "/") { target.removeDots() }
            return target.text
        }
        target.scheme = scheme
        if target.authority != nil {
            target.removeDots()
            return target.text
        }
        target.authority = authority
        if target.path.isEmpty {
            target.path = path
            target.query = target.query ?? query
            return target.text
        }
        if target.path.utf8.first != UInt8(ascii: "/") { target.path = merged(with: target.path) }
        target.removeDots()
        return target.text
    }

    /// The value of the first query parameter with this name, as written. `nil` if there is none.
    package func queryValue(_ name: String) -> Substring? {
        for pair in (query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == name { return parts[1] }
        }
        return nil
    }

    /// The reference as text (RFC 3986 §5.3).
    package var text: String {
        var text = ""
        if let scheme { text += "\(scheme):" }
        if let authority { text += "//\(authority)" }
        text += path
        if let query { text += "?\(query)" }
        if let fragment { text += "#\(fragment)" }
        return text
    }

    private static func isScheme(_ text: Substring) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    /// RFC 3986 §5.2.3.
    private func merged(with relative: Substring) -> Substring {
        if authority != nil, path.isEmpty { return "/\(relative)" }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return "\(path[...slash])\(relative)"
    }

    /// RFC 3986 §5.2.4.
    private mutating func removeDots() {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.contains(where: { $0 == "." || $0 == ".." }) else { return }
        var kept: [Substring] = []
        let floor = path.utf8.first == UInt8(ascii: "/") ? 1 : 0
        for (index, segment) in segments.enumerated() {
            switch segment {
            case ".", "..":
                if segment == "..", kept.count > floor { kept.removeLast() }
                if index == segments.count - 1 { kept.append("") }
            default: kept.append(segment)
            }
        }
        path = Substring(kept.joined(separator: "/"))
    }
}
