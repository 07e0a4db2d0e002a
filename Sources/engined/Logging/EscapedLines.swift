// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
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
        output(Data((ControlCharacters.escaped(line) + "\n").utf8))
    }
}
