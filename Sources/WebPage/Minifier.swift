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
    private static let lineEnds = without([";\n", ",\n", "{\n", "}\n", "(\n", "[\n", "\n}", "\n)", "\n]"])
    private static let lastMarks = [(";}", "}"), (",}", "}")]
    /// Names that modules share, and that mean nothing to a browser. Each becomes two or three characters in all modules.
    private static let sharedNames = [
        "microseconds", "isSupported", "parseBlocks", "loadMaster", "parseMedia", "rendererName", "segmentAt",
        "listenForKeys", "closeMenu", "SessionSheet", "EngineFailure", "Emitter", "isPassing", "helpSheet", "parseTime",
        "isElsewhere", "element", "segments", "isChosen", "isOpen", "spanOf", "isStale", "defaultAudio", "isRemote",
        "become",
        "appended", "choose", "chosen", "listen", "parts", "isPlaced", "fetching", "reloaded", "hollow",
        "milliseconds", "seconds", "states", "joined", "isLive", "playhead", "isBuffering", "isVideo", "decoded",
        "isDisabled", "otherLabel", "isSameTimeline", "received", "switchVariant", "selectVariant", "isChanged",
        "selectAudio", "switchAudio",
    ].enumerated().map { number, name in (name, "$" + shortName(number)) }

    /// - Precondition: no string or template contains comment marks, a line end or, except at its start, a name that
    ///   begins with `#`; no regular expression contains `,}`.
    static func module(_ bytes: [UInt8]) -> [UInt8] {
        withShortNames(
            replacing(
                codeMarks + lineEnds + lastMarks + sharedNames,
                in: lines(of: bytes).filter { !$0.hasPrefix("//") }
            )
        )
    }

    /// Shortens the private names of classes (`#name`), which no other module can use. A `#` after a quotation mark
    /// does not begin such a name.
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
                // In the order of first use.
                let short = names[name] ?? Array(shortName(names.count).utf8)
                result += [UInt8(ascii: "#")] + short
                names[name] = short
            }
            rest = rest[name.endIndex...]
        }
        return result + rest
    }

    /// a, b, …, z, A, …, Z, a1, b1, …
    private static func shortName(_ number: Int) -> String {
        let (turn, place) = number.quotientAndRemainder(dividingBy: 52)
        let letter = place < 26 ? UInt8(ascii: "a") + UInt8(place) : UInt8(ascii: "A") + UInt8(place - 26)
        return String(UnicodeScalar(letter)) + (turn == 0 ? "" : "\(turn)")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    /// Shrinks the module of texts, `strings.js`, but leaves the texts unchanged.
    static func texts(_ bytes: [UInt8]) -> [UInt8] {
        replacing(textMarks + lineEnds, in: lines(of: bytes).filter { !$0.hasPrefix("//") })
    }

    static func styles(_ bytes: [UInt8]) -> [UInt8] {
        replacing(styleMarks + lineEnds + lastMarks, in: lines(of: bytes))
    }

    /// Pairs each mark with the same mark without spaces and line ends.
    private static func without(_ marks: [String]) -> [(String, String)] {
        marks.map { mark in (mark, mark.filter { $0 != " " && $0 != "\n" }) }
    }

    private static func replacing(_ pairs: [(String, String)], in lines: [Substring]) -> [UInt8] {
        var text = lines.joined(separator: "\n")
        for (mark, replacement) in pairs { text.replace(mark, with: replacement) }
        return Array(text.utf8)
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
