// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Escapes text lines of the log, so that file names and client input in them can neither break a line nor send control
/// sequences to a terminal.
struct EscapedLines: TextOutputStream, Sendable {
    private let output: @Sendable (Data) -> Void

    /// - Parameter output: receives each line, including its line end; may be called from any thread.
    init(output: @escaping @Sendable (Data) -> Void = Log.write) { self.output = output }

    /// - Parameter text: one line, including its line end.
    mutating func write(_ text: String) {
        let line = text.hasSuffix("\n") ? text.dropLast() : text[...]
        output(Data((Self.escaped(line) + "\n").utf8))
    }

    /// Escapes control characters, line separators and text direction controls, as in Swift literals.
    static func escaped(_ text: some StringProtocol) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return String(text) }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if needsEscape(scalar) {
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
