// SPDX-License-Identifier: Apache-2.0

/// Reorders the fields of a script's events to the usual order, because libavformat ignores the `Format:` line. Pure.
package enum ScriptFields {
    private static let usual = [
        "layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text",
    ]
    /// Defaults for fields that a script does not have.
    private static let missing = [
        "layer": "0", "start": "0:00:00.00", "end": "0:00:00.00", "style": "Default", "marginl": "0", "marginr": "0",
        "marginv": "0",
    ]
    private static let usualFormat =
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"

    /// - Parameter script: ASS or SSA in UTF-8. Returned unchanged if its fields are in the usual order, or cannot be
    ///   brought into it.
    package static func ordered(_ script: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var order: [Int?]?
        var count = 0
        var isInEvents = false
        for line in script.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let text = TextLine(bytes: line.drop { $0 == 0x20 || $0 == 0x09 })
            if text.bytes.first == 0x5B {
                isInEvents = text.startsIgnoringCase("[events]")
            } else if isInEvents, text.startsIgnoringCase("format:") {
                let names = names(line)
                guard let found = self.order(of: names) else { return script }
                (order, count) = (found, names.count)
                result += Array(usualFormat.utf8) + [0x0A]
                continue
            } else if isInEvents, let order, let event = event(text, order, count) {
                result += event + [0x0A]
                continue
            }
            result += line
            result.append(0x0A)
        }
        return order == nil ? script : result
    }

    private static func names(_ line: ArraySlice<UInt8>) -> [String] {
        String(decoding: line, as: UTF8.self).drop { $0 != ":" }.dropFirst()
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.lowercased().filter { !$0.isWhitespace } }
            .map { $0 == "actor" ? "name" : $0 == "marked" ? "layer" : $0 }
    }

    /// The position of each usual field in the script's fields. `nil` if they are already in order, or if the text is
    /// not the last field, as it must be because it may contain commas.
    private static func order(of names: [String]) -> [Int?]? {
        guard names != usual, names.count <= 64, names.last == "text", names.contains("start") else { return nil }
        return usual.map { names.firstIndex(of: $0) }
    }

    /// `nil` for a line that is not an event, or has too few fields.
    private static func event(_ line: TextLine, _ order: [Int?], _ count: Int) -> [UInt8]? {
        guard line.startsIgnoringCase("dialogue:"), let colon = line.bytes.firstIndex(of: 0x3A) else { return nil }
        let fields = line.bytes[line.bytes.index(after: colon)...].drop { $0 == 0x20 }
            .split(separator: 0x2C, maxSplits: count - 1, omittingEmptySubsequences: false)
        guard fields.count == count else { return nil }
        let values = zip(usual, order).map { name, place -> [UInt8] in
            place.map { Array(fields[$0]) } ?? Array((missing[name] ?? "").utf8)
        }
        return Array("Dialogue: ".utf8) + values.joined(separator: [0x2C])
    }
}
