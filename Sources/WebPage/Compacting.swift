// SPDX-License-Identifier: Apache-2.0

/// What is sent of a module or of styles: no comments, no indentation. The page has no build step, so this is done when a
/// file is requested.
enum Compacting {
    /// No string and no template of a module contains a comment's marks or a line's end.
    static func module(_ bytes: [UInt8]) -> [UInt8] {
        let lines = withoutBlocks(String(decoding: bytes, as: UTF8.self)).split(separator: "\n").map(trimmed)
        return Array(lines.filter { !$0.isEmpty && !$0.hasPrefix("//") }.joined(separator: "\n").utf8)
    }

    static func styles(_ bytes: [UInt8]) -> [UInt8] {
        let lines = withoutBlocks(String(decoding: bytes, as: UTF8.self)).split(separator: "\n").map(trimmed)
        var text = lines.filter { !$0.isEmpty }.joined(separator: "\n")
        for mark in [", ", ": ", "; ", " { ", " {", "{ ", " }"] { text.replace(mark, with: mark.filter { $0 != " " }) }
        return Array(text.utf8)
    }

    private static func withoutBlocks(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "/*"), let end = rest[start.upperBound...].firstRange(of: "*/") {
            result += rest[..<start.lowerBound]
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    private static func trimmed(_ line: Substring) -> Substring {
        guard let first = line.firstIndex(where: { $0 != " " }), let last = line.lastIndex(where: { $0 != " " }) else {
            return ""
        }
        return line[first...last]
    }
}
