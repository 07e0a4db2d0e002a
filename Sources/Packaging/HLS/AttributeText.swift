// SPDX-License-Identifier: Apache-2.0

/// Makes text valid in a quoted-string attribute (RFC 8216 §4.2).
enum AttributeText {
    private static let nameLimit = 200

    /// A name, which a source may state at any length, as `quotable` text of at most 200 characters.
    static func name(_ text: String) -> String {
        quotable(String(String.UnicodeScalarView(text.unicodeScalars.prefix(nameLimit))))
    }

    /// Replaces characters that a quoted-string cannot contain: quotes become apostrophes; line breaks and other
    /// control characters become spaces.
    static func quotable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: result.unicodeScalars.append(" ")
            default: result.unicodeScalars.append(scalar == "\"" ? "'" : scalar)
            }
        }
        return result
    }
}
