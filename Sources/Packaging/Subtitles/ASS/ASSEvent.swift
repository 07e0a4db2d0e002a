// SPDX-License-Identifier: Apache-2.0

/// One event as ASS has it in Matroska: `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
package struct ASSEvent: Hashable, Sendable {
    /// Its place in the script. Many files have 0 throughout.
    package let readOrder: Int
    package let style: String
    package let text: Substring
    /// What follows the read order: what a script has, but for the times.
    let layer: Substring
    let rest: Substring

    /// `nil` for what has less than eight commas. Commas of the text are text.
    package init?(_ line: String) {
        let fields = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
        guard fields.count == 9 else { return nil }
        readOrder = Int(fields[0]) ?? 0
        layer = fields[1]
        style = String(fields[2])
        text = fields[8]
        rest = line[fields[2].startIndex...]
    }

    /// The event in a script (`Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text`).
    package func dialogue(from start: Int64, to end: Int64) -> String {
        "Dialogue: \(layer),\(CueClock.script(start)),\(CueClock.script(end)),\(rest)"
    }
}
