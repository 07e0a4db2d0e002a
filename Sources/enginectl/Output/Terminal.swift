// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Foundation
internal import Glibc

/// Stdout and stderr of this process. Each write goes out whole and immediately, even to a pipe.
enum Terminal {
    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width of the terminal in columns; 80 if unknown.
    static var width: Int {
        let columns = Int(csystem_terminal_width(STDOUT_FILENO))
        return columns > 0 ? columns : 80
    }

    static func write(_ line: String) { put(line + "\n", on: .standardOutput) }

    /// Writes text without adding a line end.
    static func draw(_ text: String) { put(text, on: .standardOutput) }

    static func writeError(_ line: String) { put(line + "\n", on: .standardError) }

    static func drawError(_ text: String) { put(text, on: .standardError) }

    private static func put(_ text: String, on stream: FileHandle) {
        do {
            try stream.write(contentsOf: Data(text.utf8))
        } catch {
            // The reader is gone (`enginectl watch | head`), so there is nowhere to report the error.
            exit(0)
        }
    }
}
