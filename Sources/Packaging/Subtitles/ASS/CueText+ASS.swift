// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension CueText {
    /// The text of an event. `nil` if it shows no text, for example only a drawing.
    ///
    /// - Parameters:
    ///   - event: as parsed by `ASSEvent`.
    ///   - isScript: whether the source is a script, in which braces may contain comments.
    package init?(_ event: ASSEvent, in header: ASSHeader, isScript: Bool) {
        let text = ASSText(event, in: header, hasComments: isScript)
        let plain = text.plain
        guard plain.contains(where: { !$0.isWhitespace }) else { return nil }
        self.init(plain: plain, runs: text.runs, alignment: text.alignment, position: text.position)
    }

    /// Text without any styling.
    package init(plain: String) { self.init(plain: plain, runs: [TextRun(text: plain)]) }
}
