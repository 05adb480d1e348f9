import CSQLite
import GroveEngine

/// A prepared statement: bound by position, stepped, reset; finalized with its value.
///
/// `blob` and `text` bind bytes without copying them. The bytes must stay valid and unmoved until
/// `run` returns or `reset` is called.
struct Statement: ~Copyable {
    private let handle: OpaquePointer

    init(_ sql: StaticString, on connection: OpaquePointer?) throws(SQLiteFailure) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, sql.utf8Start.cString, Int32(sql.utf8CodeUnitCount),
            UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteConnection.failure(of: connection)
        }
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Binds an integer to the parameter `?index`.
    func bind(_ index: Int32, _ value: Int64) {
        let code = sqlite3_bind_int64(handle, index, value)
        precondition(code == SQLITE_OK, "a statement was bound while running or out of range")
    }

    /// Binds a checksum as an integer.
    func bind(_ index: Int32, _ value: UInt32) { bind(index, Int64(value)) }

    /// Binds an integer, or NULL for `nil`.
    func bind(_ index: Int32, _ value: Int64?) throws(SQLiteFailure) {
        if let value { bind(index, value) } else { try check(sqlite3_bind_null(handle, index)) }
    }

    /// Binds bytes without copying them; an empty buffer is a blob of length 0.
    func bind(_ index: Int32, blob bytes: UnsafeRawBufferPointer) throws(SQLiteFailure) {
        guard let start = bytes.baseAddress else {
            return try check(sqlite3_bind_zeroblob(handle, index, 0))
        }
        try check(
            sqlite3_bind_blob64(
                handle, index, start, UInt64(bytes.count), grove_sqlite_static()))
    }

    /// Binds a copy of a text, or NULL for `nil`.
    func bind(_ index: Int32, copy text: String?) throws(SQLiteFailure) {
        if let text {
            try bind(index, copy: text)
        } else {
            try check(sqlite3_bind_null(handle, index))
        }
    }

    /// Binds the bytes of a text without copying them.
    func bind(_ index: Int32, text bytes: UnsafeRawBufferPointer) throws(SQLiteFailure) {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        try check(
            sqlite3_bind_text64(
                handle, index, start, UInt64(bytes.count), grove_sqlite_static(),
                UInt8(SQLITE_UTF8)))
    }

    /// Binds a copy of bytes as a blob.
    func bind(_ index: Int32, copy bytes: [UInt8]) throws(SQLiteFailure) {
        try check(
            sqlite3_bind_blob64(
                handle, index, bytes, UInt64(bytes.count), grove_sqlite_transient()))
    }

    /// Binds a copy of a text. SQLite compares its bytes, without any normalization.
    func bind(_ index: Int32, copy text: String) throws(SQLiteFailure) {
        let length = text.utf8.count
        try check(
            sqlite3_bind_text64(
                handle, index, text, UInt64(length), grove_sqlite_transient(), UInt8(SQLITE_UTF8)))
    }

    /// Binds a copy of a text to `?1`, for a reader of the store.
    func bindKey(_ text: String) throws(StoreError) {
        do { try bind(1, copy: text) } catch { throw error.storeError }
    }

    private func check(_ code: Int32) throws(SQLiteFailure) {
        guard code == SQLITE_OK else {
            throw SQLiteConnection.failure(of: sqlite3_db_handle(handle))
        }
    }

    /// Moves to the next row; `false` when there is none. Resets itself at the end and on failure.
    func step() throws(SQLiteFailure) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            let failure = SQLiteConnection.failure(of: sqlite3_db_handle(handle))
            sqlite3_reset(handle)
            throw failure
        }
    }

    /// Like `step`, with the store's errors.
    func row() throws(StoreError) -> Bool {
        do { return try step() } catch { throw error.storeError }
    }

    /// Ends the run. A statement that isn't reset keeps its transaction open.
    func reset() { sqlite3_reset(handle) }

    func run() throws(SQLiteFailure) {
        let hasRow = try step()
        precondition(!hasRow, "a statement that should have no rows has one")
    }

    /// Returns the type of a value of the current row, such as `SQLITE_INTEGER`. Must come before
    /// its bytes are read, because reading them may convert the value.
    func type(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

    /// Returns an integer of the current row.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Returns the bytes of a blob or text of the current row, valid until the next step or reset.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// Returns a text of the current row; damaged UTF-8 is replaced.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}

extension UnsafePointer<UInt8> {
    /// The same bytes, typed as C characters.
    fileprivate var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(self).assumingMemoryBound(to: CChar.self)
    }
}
