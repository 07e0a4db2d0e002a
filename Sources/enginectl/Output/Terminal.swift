// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Foundation
internal import Glibc

/// The two streams of this process. Lines go out whole and at once, also into a pipe.
enum Terminal {
    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns to draw in.
    static var width: Int {
        let columns = Int(csystem_terminal_width(STDOUT_FILENO))
        return columns > 0 ? columns : 80
    }

    static func write(_ line: String) { put(line + "\n", on: .standardOutput) }

    /// Without a line end.
    static func draw(_ text: String) { put(text, on: .standardOutput) }

    static func writeError(_ line: String) { put(line + "\n", on: .standardError) }

    static func drawError(_ text: String) { put(text, on: .standardError) }

    private static func put(_ text: String, on stream: FileHandle) {
        do {
            try stream.write(contentsOf: Data(text.utf8))
        } catch {
            // Whoever read us has gone (`enginectl watch | head`): there is nobody left to tell.
            exit(0)
        }
    }
}
