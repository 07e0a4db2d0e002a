// SPDX-License-Identifier: Apache-2.0

/// What is sent of a module or of styles: no comments, and nothing that only readers need. The page has no build step, so this
/// is done when a file is requested, without a parser.
enum Compacting {
    /// Replaced in this order; code means the same to a browser afterwards. So do the strings of modules, which are names, lists of
    /// selectors and media types: only the module of texts has sentences.
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
        + [("return true", "return!0"), ("return false", "return!1")]
        + ["=", ":", "(", ",", "?", "&", "|", ">"].flatMap { mark in
            [("\(mark)true", "\(mark)!0"), ("\(mark)false", "\(mark)!1"), ("\(mark)undefined", "\(mark)void 0")]
        }
    private static let textMarks = without(["', ", ": '", ": {", ": [", " => ", "{ ", " }", " = "])
    private static let styleMarks = without([", ", ": ", "; ", " { ", " {", "{ ", " }"])
    /// Every statement ends with a semicolon or a brace, so line ends next to these marks have no meaning.
    private static let lineEnds = without([";\n", ",\n", "{\n", "}\n", "(\n", "[\n", "\n}", "\n)", "\n]"])
    private static let lastMarks = [(";}", "}"), (",}", "}")]
    /// Names that modules give to each other, and that mean nothing to a browser. Each becomes two characters in all modules.
    private static let sharedNames = [
        "microseconds", "isSupported", "parseBlocks", "loadMaster", "parseMedia", "rendererName", "segmentAt",
        "listenForKeys", "closeMenu", "SessionSheet", "EngineFailure", "Emitter", "isPassing", "helpSheet", "parseTime",
        "isElsewhere",
    ].enumerated().map { ($1, "$" + String(UnicodeScalar(UInt8(ascii: "a") + UInt8($0)))) }

    /// No string and no template of a module contains a comment's marks, a line's end, or a name that begins with `#` unless
    /// it is the first thing in it; no regular expression contains `,}`.
    static func module(_ bytes: [UInt8]) -> [UInt8] {
        withShortNames(
            replacing(
                codeMarks + lineEnds + lastMarks + sharedNames,
                in: lines(of: bytes).filter { !$0.hasPrefix("//") }
            )
        )
    }

    /// Shortens the private names of classes (`#name`), which no other module can use. Only behind a quotation mark, `#` is
    /// something else.
    private static func withShortNames(_ bytes: [UInt8]) -> [UInt8] {
        var (result, names): ([UInt8], [ArraySlice<UInt8>: [UInt8]]) = ([], [:])
        var rest = bytes[...]
        while let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
            result += rest[..<mark]
            let name = rest[(mark + 1)...].prefix { isLetter($0) }
            let isQuoted = result.last.map { "'`\"".utf8.contains($0) } ?? false
            if isQuoted || name.isEmpty {
                result += rest[mark..<name.endIndex]
            } else {
                // In the order in which they occur: a, b, …, z, a1, b1, …
                let number = names.count
                let short = [UInt8(ascii: "a") + UInt8(number % 26)] + (number < 26 ? [] : Array("\(number / 26)".utf8))
                result += [UInt8(ascii: "#")] + names[name, default: short]
                if names[name] == nil { names[name] = short }
            }
            rest = rest[name.endIndex...]
        }
        return result + rest
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    /// The same for the module of texts, which stay as they are.
    static func texts(_ bytes: [UInt8]) -> [UInt8] {
        replacing(textMarks + lineEnds, in: lines(of: bytes).filter { !$0.hasPrefix("//") })
    }

    static func styles(_ bytes: [UInt8]) -> [UInt8] {
        replacing(styleMarks + lineEnds + lastMarks, in: lines(of: bytes))
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
