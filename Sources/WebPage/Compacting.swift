// SPDX-License-Identifier: Apache-2.0

/// What is sent of a module or of styles: no comments, and nothing that only readers need. The page has no build step, so this
/// is done when a file is requested, without a parser.
enum Compacting {
    /// Replaced in this order; code means the same to a browser afterwards. So do the strings of modules, which are names, lists of
    /// selectors and media types: only the module of texts has sentences.
    private static let codeMarks: [(String, String)] =
        [("const ", "let ")]
        + without([
            " = ", " => ", " === ", " !== ", " && ", " || ", " ?? ", " ? ", " : ", " + ", " < ", " > ", ", ", "; ",
            ": ",
            "{ ", " {", " }", " (", ") ", " - ", " * ", " += ", " >= ", " <= ", "} from '",
        ])
    private static let textMarks = without(["', ", ": '", ": {", ": [", " => ", "{ ", " }", " = "])
    private static let styleMarks = without([", ", ": ", "; ", " { ", " {", "{ ", " }"])
    /// Every statement ends with a semicolon or a brace, so line ends next to these marks have no meaning.
    private static let lineEnds = without([";\n", ",\n", "{\n", "}\n", "(\n", "[\n", "\n}", "\n)", "\n]"])
    private static let lastSemicolons = [(";}", "}")]

    /// No string and no template of a module contains a comment's marks or a line's end.
    static func module(_ bytes: [UInt8]) -> [UInt8] {
        replacing(codeMarks + lineEnds + lastSemicolons, in: lines(of: bytes).filter { !$0.hasPrefix("//") })
    }

    /// The same for the module of texts, which stay as they are.
    static func texts(_ bytes: [UInt8]) -> [UInt8] {
        replacing(textMarks + lineEnds, in: lines(of: bytes).filter { !$0.hasPrefix("//") })
    }

    static func styles(_ bytes: [UInt8]) -> [UInt8] {
        replacing(styleMarks + lineEnds + lastSemicolons, in: lines(of: bytes))
    }

    /// Marks with what is left of them without spaces and line ends.
    private static func without(_ marks: [String]) -> [(String, String)] {
        marks.map { mark in (mark, mark.filter { $0 != " " && $0 != "\n" }) }
    }

    private static func replacing(_ pairs: [(String, String)], in lines: [Substring]) -> [UInt8] {
        var text = lines.joined(separator: "\n")
        for (mark, replacement) in pairs { text.replace(mark, with: replacement) }
        return Array(text.utf8)
    }

    /// The lines that are not empty, without comments in blocks and indentation.
    private static func lines(of bytes: [UInt8]) -> [Substring] {
        let text = withoutBlocks(String(decoding: bytes, as: UTF8.self))
        return text.split(separator: "\n").map(trimmed).filter { !$0.isEmpty }
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
