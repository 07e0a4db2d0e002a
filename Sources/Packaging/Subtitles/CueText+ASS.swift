// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension CueText {
    /// The text of an event. `nil` where it shows nothing: no text, or the outline of a drawing alone.
    ///
    /// - Parameters:
    ///   - event: as `ASSEvent` takes it.
    ///   - isScript: whether the source is a script, whose braces may hide comments.
    package init?(_ event: ASSEvent, in header: ASSHeader, isScript: Bool) {
        let text = ASSText(event, in: header, hasComments: isScript)
        let plain = text.plain
        guard plain.contains(where: { !$0.isWhitespace }) else { return nil }
        self.init(plain: plain, runs: text.runs, alignment: text.alignment, position: text.position)
    }

    /// Text without any look.
    package init(plain: String) { self.init(plain: plain, runs: [TextRun(text: plain)]) }
}
