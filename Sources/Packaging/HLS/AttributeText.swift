// SPDX-License-Identifier: Apache-2.0

/// Text fit for a quoted-string attribute (RFC 8216 §4.2).
enum AttributeText {
    private static let characterLimit = 200

    /// Without what a quoted-string cannot hold: quotes become apostrophes; line ends and other control characters
    /// become spaces. Cut at 200 characters.
    static func quotable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(characterLimit) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result.unicodeScalars.append(" ")
            default: result.unicodeScalars.append(scalar == "\"" ? "'" : scalar)
            }
        }
        return result
    }
}
