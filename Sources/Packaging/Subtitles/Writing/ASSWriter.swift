// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Writes an ASS script: the source's header, or a neutral one, followed by the events.
package enum ASSWriter {
    /// The fields of the event lines.
    private static let format = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"

    /// The script's header, up to its first event.
    ///
    /// - Parameter source: the header of a source that is a script; empty for other sources.
    package static func head(_ source: String) -> String {
        let text = source.filter { $0 != "\0" }
        guard !text.allSatisfy(\.isWhitespace) else { return plainHead + events }
        // The events section comes last, and its fields match the lines written here, whatever fields the source used.
        var isEvents = false
        var lines: [Substring] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if line.hasPrefix("[") { isEvents = line.lowercased().hasPrefix("[events]") }
            if !isEvents { lines.append(line) }
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n\n" + events
    }

    /// One event including its line break. Empty for an image.
    package static func line(_ cue: Cue) -> String {
        guard case .text(let text) = cue.content else { return "" }
        let end = (cue.end ?? cue.start).microseconds
        if let raw = text.raw { return raw.filter { $0 != "\0" } + "\n" }
        let times = "\(CueClock.script(cue.start.microseconds)),\(CueClock.script(end))"
        return "Dialogue: 0,\(times),Default,,0,0,0,,\(body(of: text))\n"
    }

    /// The same event in Matroska's form: `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`. `nil` for
    /// an image.
    package static func event(_ cue: Cue) -> String? {
        guard case .text(let text) = cue.content else { return nil }
        guard let raw = text.raw else { return "\(text.readOrder),0,Default,,0,0,0,,\(body(of: text))" }
        let fields = raw.dropFirst("Dialogue: ".count).split(
            separator: ",",
            maxSplits: 3,
            omittingEmptySubsequences: false
        )
        return fields.count == 4 ? "\(text.readOrder),\(fields[0]),\(fields[3])" : nil
    }

    private static func body(of text: CueText) -> String {
        var body = text.alignment == 2 ? "" : "{\\an\(text.alignment)}"
        if let position = text.position {
            body += "{\\pos(\(Int((position.x * 384).rounded())),\(Int((position.y * 288).rounded())))}"
        }
        for run in text.runs {
            let flags = [
                (run.isBold, "b"), (run.isItalic, "i"), (run.isUnderlined, "u"), (run.isStruckOut, "s"),
            ].filter(\.0).map(\.1)
            let open = flags.map { "\\\($0)1" }.joined() + color(of: run)
            let close = flags.map { "\\\($0)0" }.joined() + (run.color == nil ? "" : "\\c")
            body += open.isEmpty ? escaped(run.text) : "{\(open)}\(escaped(run.text)){\(close)}"
        }
        return body
    }

    private static func color(of run: TextRun) -> String {
        guard let color = run.color else { return "" }
        let bgr = (color & 0xFF) << 16 | color & 0xFF00 | (color >> 16) & 0xFF
        let digits = String(bgr, radix: 16, uppercase: true)
        return "\\c&H\(String(repeating: "0", count: max(0, 6 - digits.utf8.count)))\(digits)&"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\n": result += "\\N"
            case "{": result += "\\{"
            case "}": result += "\\}"
            case "\u{A0}": result += "\\h"
            case "\0": break
            default: result.append(character)
            }
        }
        return result
    }

    private static let events = "[Events]\n\(format)\n"

    private static let plainHead = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 384
        PlayResY: 288

        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
        Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, \
        MarginV, Encoding
        Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,0


        """
}
