// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text as a valid D-Bus string: NUL and the noncharacters of Unicode, which libsystemd refuses, become U+FFFD.
    /// File tags may contain anything.
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
