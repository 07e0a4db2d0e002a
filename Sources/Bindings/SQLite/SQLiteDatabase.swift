// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// A connection to a database file (https://sqlite.org/c3ref/sqlite3.html).
///
/// Thread-safety: unsafe. Belongs to one actor with a thread of its own, because every call may block.
@safe package final class SQLiteDatabase {
    private let handle: OpaquePointer

    /// `sqlite3_open_v2`. Creates the file if it does not exist. SQLite reads the content only at the first use.
    package init(path: String) throws(SQLiteError) {
        assertMayBlock(#function)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let handle = unsafe opened else { throw SQLiteError(status, "out of memory", in: "sqlite3_open_v2") }
        unsafe self.handle = handle
        guard status == SQLITE_OK else { throw failure(status, in: "sqlite3_open_v2") }
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Runs statements and ignores their rows (`sqlite3_exec`).
    package func execute(_ statements: String) throws(SQLiteError) {
        assertMayBlock(#function)
        let status = unsafe sqlite3_exec(handle, statements, nil, nil, nil)
        guard status == SQLITE_OK else { throw failure(status, in: statements) }
    }

    /// Compiles one statement for repeated use (`sqlite3_prepare_v3`).
    package func prepare(_ text: String) throws(SQLiteError) -> SQLiteStatement {
        assertMayBlock(#function)
        var prepared: OpaquePointer?
        let status = unsafe sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard status == SQLITE_OK, let prepared = unsafe prepared else { throw failure(status, in: text) }
        return unsafe SQLiteStatement(prepared, text, of: self)
    }

    /// Runs `body` as one transaction: all of its changes are written, or none.
    package func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try body()
            try execute("COMMIT")
        } catch {
            // After some errors SQLite has already rolled back; this statement then fails, which is harmless.
            unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    fileprivate func failure(_ status: Int32, in function: String) -> SQLiteError {
        unsafe SQLiteError(status, String(cString: sqlite3_errmsg(handle)), in: function)
    }
}

/// A compiled statement (https://sqlite.org/c3ref/stmt.html). Belongs to the thread of its database.
@safe package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let text: String
    private let database: SQLiteDatabase

    @unsafe fileprivate init(_ handle: OpaquePointer, _ text: String, of database: SQLiteDatabase) {
        unsafe self.handle = handle
        self.text = text
        self.database = database
    }

    deinit { unsafe sqlite3_finalize(handle) }

    // MARK: Parameters, counted from 1

    package func bind(_ value: Int64, at place: Int32) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, place, value))
    }

    package func bind(_ value: String, at place: Int32) throws(SQLiteError) {
        try check(unsafe csqlite_bind_text(handle, place, value, -1))
    }

    package func bind(_ value: [UInt8], at place: Int32) throws(SQLiteError) {
        let status = unsafe value.withUnsafeBytes { bytes in
            unsafe csqlite_bind_blob(handle, place, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        try check(status)
    }

    // MARK: Rows

    /// Advances to the next row (`sqlite3_step`).
    ///
    /// - Returns: `false` if there are no more rows.
    package func step() throws(SQLiteError) -> Bool {
        assertMayBlock(#function)
        let status = unsafe sqlite3_step(handle)
        switch status {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw database.failure(status, in: text)
        }
    }

    /// Runs the statement to its end and resets it.
    package func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// Makes the statement ready to run again. Ignores the status, because `step` has already thrown any failure.
    package func reset() { unsafe sqlite3_reset(handle) }

    // MARK: Columns, counted from 0

    package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    package func string(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    package func bytes(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    private func check(_ status: Int32) throws(SQLiteError) {
        guard status == SQLITE_OK else { throw database.failure(status, in: text) }
    }
}
