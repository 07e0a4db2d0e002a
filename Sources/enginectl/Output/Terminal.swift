// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import EngineModel
internal import EngineRuntime
internal import Foundation
internal import Glibc

/// Stdout and stderr of this process. Each write goes out whole and immediately, even to a pipe.
///
/// A failed write to stdout is thrown, so that a command returns 0 only when all of its output was written. Stderr has
/// messages and progress only; failed writes to stderr are ignored.
enum Terminal {
    private static let status = Locked(StatusLine())
    /// Placeholders for descriptors that were closed when this process started.
    private static let standIns = Locked<[FileHandle]>([])

    static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
    static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width of the terminal on stdout in columns; 80 if unknown.
    static var width: Int { width(of: STDOUT_FILENO) }

    /// The height of the terminal on stdout in lines; 24 if unknown.
    static var height: Int {
        let lines = Int(csystem_terminal_height(STDOUT_FILENO))
        return lines > 0 ? lines : 24
    }

    /// Call this once, before any output. After it, a write to a pipe without a reader fails instead of ending the
    /// process, and a write to a descriptor that was closed at startup fails instead of reaching a file opened later.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        // Opening takes the lowest free descriptor. It is read-only, so that writes to it fail.
        while let file = FileHandle(forReadingAtPath: "/dev/null"), file.fileDescriptor <= STDERR_FILENO {
            standIns.withLock { $0.append(file) }
        }
    }

    static func write(_ line: String) throws(Failure) { try write([line]) }

    /// Writes lines of text. On a terminal, control characters in them are escaped: they come from files and servers.
    static func write(_ lines: [String]) throws(Failure) {
        try draw(lines.map { (isOutputTerminal ? shown($0) : $0) + "\n" }.joined())
    }

    private static func shown(_ text: String) -> String { ControlCharacters.escaped(text, keeping: ["\n", "\t"]) }

    /// Writes text without adding a line end.
    static func draw(_ text: String) throws(Failure) {
        let (before, after) = status.withLock { ($0.cleared, $0.drawn) }
        let isBelowStatus = !before.isEmpty && isOutputTerminal
        if isBelowStatus { put(before) }
        try write(Data(text.utf8))
        if isBelowStatus { put(after) }
    }

    /// Writes bytes to stdout.
    static func write(_ bytes: [UInt8]) throws(Failure) { try write(Data(bytes)) }

    /// Writes a list to stdout. If it is empty, says on stderr what there is none of, such as `the source has no programs`.
    static func write(_ lines: [String], orNone none: String) throws(Failure) {
        try lines.isEmpty ? writeError("enginectl: \(none)") : write(lines)
    }

    /// Writes a line to stderr, above the status line if there is one.
    static func writeError(_ line: String) { put(status.withLock { $0.above(shown(line)) }) }

    /// Replaces the status line on stderr. Call this only if stderr is a terminal.
    static func showStatus(_ line: String) {
        let width = width(of: STDERR_FILENO)
        put(status.withLock { $0.show(shown(line), width: width) })
    }

    /// Ends the status line.
    ///
    /// - Parameter keeping: whether it stays on the screen.
    static func endStatus(keeping: Bool = false) { put(status.withLock { $0.end(keeping: keeping) }) }

    private static func write(_ bytes: Data) throws(Failure) {
        do {
            try FileHandle.standardOutput.write(contentsOf: bytes)
        } catch {
            throw Failure(output: error)
        }
    }

    private static func put(_ text: String) {
        guard !text.isEmpty else { return }
        do { try FileHandle.standardError.write(contentsOf: Data(text.utf8)) } catch {
            // This error cannot be reported: errors are reported on stderr.
        }
    }

    private static func width(of descriptor: Int32) -> Int {
        let columns = Int(csystem_terminal_width(descriptor))
        return columns > 0 ? columns : 80
    }
}

extension Failure {
    /// A write to stdout that failed.
    fileprivate init(output error: any Error) {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        if cause?.domain == NSPOSIXErrorDomain, cause?.code == Int(EPIPE) {
            self.init(.readerGone, "")
        } else {
            self.init(
                .failed,
                "cannot write to standard output: \(cause?.localizedFailureReason ?? error.localizedDescription)"
            )
        }
    }
}

/// One line at the end of a terminal that is redrawn in place, and the lines that are written above it (ECMA-48 EL).
/// Pure: returns what to write.
struct StatusLine: Sendable {
    private static let clear = "\r\u{1B}[K"
    private var text = ""

    /// The sequence that removes the line from the screen; empty if none is shown.
    var cleared: String { text.isEmpty ? "" : Self.clear }
    /// The text that draws the line again.
    var drawn: String { text }

    /// - Parameter width: the columns of the terminal. The last one stays free, so that the line never wraps.
    mutating func show(_ line: String, width: Int) -> String {
        text = String(line.prefix(max(0, width - 1)))
        return Self.clear + text
    }

    func above(_ line: String) -> String { "\(cleared)\(line)\n\(drawn)" }

    mutating func end(keeping: Bool) -> String {
        defer { text = "" }
        return text.isEmpty ? "" : keeping ? "\n" : Self.clear
    }
}
