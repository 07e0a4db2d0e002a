// SPDX-License-Identifier: Apache-2.0

/// Makes text from files, servers and clients safe for a log or a terminal: it can neither break a line nor send
/// control sequences.
package enum ControlCharacters {
    /// Escapes control characters, line separators and text direction controls, as in Swift literals.
    ///
    /// - Parameter kept: characters that stay as they are.
    package static func escaped(_ text: some StringProtocol, keeping kept: Set<Unicode.Scalar> = []) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return String(text) }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if needsEscape(scalar), !kept.contains(scalar) {
                result.append(contentsOf: scalar.escaped(asASCII: true).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
