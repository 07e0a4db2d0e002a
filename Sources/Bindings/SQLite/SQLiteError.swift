// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// A failed call of SQLite: the extended result code, and SQLite's message.
package struct SQLiteError: Error, Hashable, Sendable {
    /// https://sqlite.org/rescode.html
    package let code: Int32
    package let message: String
    package let function: String

    init(_ code: Int32, _ message: String, in function: String) {
        self.code = code
        self.message = message
        self.function = function
    }

    /// Whether the cause is the content of the file, rather than the disk or the file system. `SQLITE_ERROR` means that
    /// a table is missing or has other columns, `SQLITE_READONLY` that the header requires a newer SQLite.
    package var isDamage: Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_READONLY].contains(code & 0xFF)
    }

    /// The file belongs to a newer engine.
    package static func version(_ version: Int64) -> SQLiteError {
        SQLiteError(SQLITE_FORMAT, "its version is \(version)", in: "PRAGMA user_version")
    }

    /// A fault that `PRAGMA integrity_check` has found in the file.
    package static func check(_ finding: String) -> SQLiteError {
        SQLiteError(SQLITE_CORRUPT, finding, in: "PRAGMA integrity_check")
    }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String { "\(function): \(message) (SQLite \(code))" }
}
