// SPDX-License-Identifier: Apache-2.0

/// A subtitle page in a stream that may hold several.
package struct SubtitlePage: Hashable, Sendable {
    /// 100 … 899 for teletext; the composition page for DVB subtitles.
    package var number: Int
    /// As the source spells it. Empty if unknown.
    package var language: String
    package var isForHearingImpaired: Bool

    package init(number: Int, language: String, isForHearingImpaired: Bool) {
        self.number = number
        self.language = language
        self.isForHearingImpaired = isForHearingImpaired
    }
}
