// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text as a D-Bus string may have it: without NUL, and with U+FFFD for the noncharacters of Unicode, which
    /// libsystemd refuses. Tags of a file hold anything.
    var dbusText: String {
        guard unicodeScalars.contains(where: \.isRefusedByDBus) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(scalar.isRefusedByDBus ? "\u{FFFD}" : scalar) }
        return String(text)
    }
}

extension Unicode.Scalar {
    fileprivate var isRefusedByDBus: Bool { value == 0 || properties.isNoncharacterCodePoint }
}
