// SPDX-License-Identifier: Apache-2.0

/// Makes text valid in a quoted-string attribute (RFC 8216 §4.2).
enum AttributeText {
    private static let characterLimit = 200

    /// Replaces characters that a quoted-string cannot contain: quotes become apostrophes; line breaks and other
    /// control characters become spaces. Truncated to 200 characters.
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
