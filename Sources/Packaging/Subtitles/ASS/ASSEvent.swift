// SPDX-License-Identifier: Apache-2.0

/// One ASS event in Matroska's form: `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
package struct ASSEvent: Hashable, Sendable {
    /// The event's position in the script. Many files have 0 throughout.
    package let readOrder: Int
    package let style: String
    package let text: Substring
    /// The layer and the fields after it: a script line without its times.
    let layer: Substring
    let rest: Substring

    /// `nil` for a line with fewer than eight commas. Further commas belong to the text.
    package init?(_ line: String) {
        let fields = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
        guard fields.count == 9 else { return nil }
        readOrder = Int(fields[0]) ?? 0
        layer = fields[1]
        style = String(fields[2])
        text = fields[8]
        rest = line[fields[2].startIndex...]
    }

    /// Whether the picture of the event may depend on the time: it has karaoke, a fade, a movement or a transform, or
    /// scrolls.
    package var isMoving: Bool {
        let fields = rest.split(separator: ",", maxSplits: 6, omittingEmptySubsequences: false)
        let effect = fields.count == 7 ? fields[5] : ""
        return effect.contains(where: { !$0.isWhitespace }) || Self.movements.contains { text.contains($0) }
    }

    private static let movements = ["\\k", "\\K", "\\t", "\\mov", "\\fad"]

    /// The event as a script line (`Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text`).
    package func dialogue(from start: Int64, to end: Int64) -> String {
        "Dialogue: \(layer),\(CueClock.script(start)),\(CueClock.script(end)),\(rest)"
    }
}
