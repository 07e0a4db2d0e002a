// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Writes styled text with the tags of SubRip and WebVTT.
enum CueMarkup {
    /// SubRip: `<b>`, `<i>`, `<u>`, `<s>` and the font colour.
    static func subRip(_ runs: [TextRun]) -> String {
        runs.map { run in
            var (open, close) = tags(of: run, hasStrikeout: true)
            // White is the default colour of styles, so it is written only if it does not come from a style.
            if let color = run.color, color != 0xFF_FFFF || !run.hasStyle {
                open += "<font color=\"#\(hexadecimal(color))\">"
                close = "</font>" + close
            }
            return open + run.text + close
        }.joined()
    }

    /// WebVTT: `<b>`, `<i>` and `<u>`, with special characters escaped.
    static func webVTT(_ runs: [TextRun]) -> String {
        runs.map { run in
            let (open, close) = tags(of: run, hasStrikeout: false)
            return open + escaped(run.text) + close
        }.joined()
    }

    /// The character references of the WebVTT cue text syntax.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\u{A0}": result += "&nbsp;"
            default: result.append(character)
            }
        }
        return result
    }

    private static func tags(of run: TextRun, hasStrikeout: Bool) -> (open: String, close: String) {
        let flags = [
            (run.isBold, "b"), (run.isItalic, "i"), (run.isUnderlined, "u"), (run.isStruckOut && hasStrikeout, "s"),
        ]
        let names = flags.filter(\.0).map(\.1)
        return (names.map { "<\($0)>" }.joined(), names.reversed().map { "</\($0)>" }.joined())
    }

    private static func hexadecimal(_ color: UInt32) -> String {
        let digits = String(color & 0xFF_FFFF, radix: 16)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    /// Removes empty lines, which would end a cue.
    static func withoutEmptyLines(_ text: String) -> String {
        text.split(omittingEmptySubsequences: true) { ["\n", "\r", "\r\n"].contains($0) }.joined(separator: "\n")
    }
}

extension TextRun {
    /// Whether the run's look comes from a style, which sets font and size.
    fileprivate var hasStyle: Bool { font != nil && size != nil }
}
