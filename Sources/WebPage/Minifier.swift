// SPDX-License-Identifier: Apache-2.0

/// Shrinks modules and styles before they are sent: removes comments and spaces, and shortens names. The page has no
/// build step, so this happens when a file is requested, without a parser.
enum Minifier {
    /// Replacements in modules, made in this order. They change the meaning of neither the code nor its strings, which
    /// are names, lists of selectors and media types. Only the module of texts, `strings.js`, has sentences.
    private static let codeMarks: [(String, String)] =
        [("const ", "let ")]
        + without([
            " - ", " * ", " = ", " => ", " === ", " !== ", " && ", " || ", " ?? ", " ? ", " : ", " + ", " < ", " > ",
            ", ", "; ",
            ": ",
            "{ ", " {", " }", " (", ") ", " += ", " >= ", " <= ", "} from '", "} catch", "} finally", "} else", "} of",
            "] of",
            "return [", "let [",
        ])
        + [("return true", "return!0"), ("return false", "return!1"), ("Boolean(", "!!(")]
        // The other side of a comparison with a string is always a string, so that both operators mean the same.
        + ["===", "!=="].map { ("\($0)'", "\($0.dropLast())'") }
        + ["=", ":", "(", ",", "?", "+", "*"].map { ("\($0)0.", "\($0).") }
        + ["1", "2"].map { (" / \($0)", "/\($0)") }
        + ["=", ":", "(", ",", "?", "&", "|", ">"].flatMap { mark in
            [("\(mark)true", "\(mark)!0"), ("\(mark)false", "\(mark)!1"), ("\(mark)undefined", "\(mark)void 0")]
        }
    private static let textMarks = without(["', ", ": '", ": {", ": [", " => ", "{ ", " }", " = "])
    private static let styleMarks = without([", ", ": ", "; ", " { ", " {", "{ ", " }"])
    /// Line ends that have no meaning, because every statement ends with a semicolon or a brace.
    private static let lineEnds = without([";\n", ",\n", "{\n", "}\n", "(\n", "[\n", "=>\n", "\n}", "\n)", "\n]"])
    private static let lastMarks = [(";}", "}"), (",}", "}")]

    /// Shrinks a module.
    ///
    /// - Precondition: no string or template contains comment marks, a line end or, except at its start, a name that
    ///   begins with `#`; no regular expression contains `,}`.
    static func module(_ bytes: [UInt8]) -> [UInt8] {
        let lines = withJoinedDeclarations(lines(of: bytes).filter { !$0.hasPrefix("//") })
        return Array(ShortNames.shortened(replacing(codeMarks + lineEnds + lastMarks, in: lines)).utf8)
    }

    /// Joins declarations that follow each other: `const a = 1;` and `const b = 2;` become `const a = 1,b = 2;`.
    ///
    /// - Precondition: a line that begins a declaration and ends with a semicolon is the whole declaration.
    private static func withJoinedDeclarations(_ lines: [Substring]) -> [Substring] {
        func isDeclaration(_ line: Substring) -> Bool { line.hasPrefix("const ") || line.hasPrefix("let ") }
        return lines.reduce(into: []) { joined, line in
            if let last = joined.last, isDeclaration(last), last.hasSuffix(";"), isDeclaration(line) {
                joined[joined.count - 1] = last.dropLast() + "," + line.drop { $0 != " " }.dropFirst()
            } else {
                joined.append(line)
            }
        }
    }

    /// Shrinks the module of texts, `strings.js`, but leaves the texts unchanged.
    static func texts(_ bytes: [UInt8]) -> [UInt8] {
        let lines = lines(of: bytes).filter { !$0.hasPrefix("//") }
        return Array(ShortNames.shortenedTexts(replacing(textMarks + lineEnds, in: lines)).utf8)
    }

    static func styles(_ bytes: [UInt8]) -> [UInt8] {
        Array(replacing(styleMarks + lineEnds + lastMarks, in: lines(of: bytes)).utf8)
    }

    /// Pairs each mark with the same mark without spaces and line ends.
    private static func without(_ marks: [String]) -> [(String, String)] {
        marks.map { mark in (mark, mark.filter { $0 != " " && $0 != "\n" }) }
    }

    private static func replacing(_ pairs: [(String, String)], in lines: [Substring]) -> String {
        var text = lines.joined(separator: "\n")
        for (mark, replacement) in pairs { text.replace(mark, with: replacement) }
        return text
    }

    /// The lines that are not empty, without block comments and indentation.
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
