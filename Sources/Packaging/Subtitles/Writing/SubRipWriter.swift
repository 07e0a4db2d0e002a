// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Writes SubRip: numbered blocks of times and text.
package enum SubRipWriter {
    /// One block including its empty line. Empty for an image.
    ///
    /// - Parameter number: counted from 1.
    package static func block(_ cue: Cue, number: Int) -> String {
        guard case .text(let text) = cue.content else { return "" }
        let end = cue.end ?? cue.start
        let times = "\(CueClock.subRip(cue.start.microseconds)) --> \(CueClock.subRip(end.microseconds))"
        let place = text.alignment == 2 ? "" : "{\\an\(text.alignment)}"
        return "\(number)\n\(times)\n\(place)\(CueMarkup.withoutEmptyLines(CueMarkup.subRip(text.runs)))\n\n"
    }
}
