import CSQLite
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A failed call of SQLite. Holds no SQL and no values.
struct SQLiteFailure: Error {
    /// The extended result code (https://sqlite.org/rescode.html).
    let code: Int32

    /// `errno` of the system call that failed; 0 when there was none.
    let systemError: Int32

    /// `SQLITE_IOERR_WRITE`, a macro that Swift doesn't import.
    private static let writeFailed = SQLITE_IOERR | (3 << 8)

    let message: String

    /// The result code without its extension.
    var primary: Int32 { code & 0xFF }

    /// Whether the disk was full before anything could have been synced. SQLite returns
    /// `SQLITE_FULL` only for ENOSPC of a write. Quotas and file size limits arrive as a write
    /// error with their `errno`. The same errors from a sync don't count: then the outcome is
    /// unknown.
    var isFull: Bool {
        primary == SQLITE_FULL || (code == SQLiteFailure.writeFailed && isOutOfRoom)
    }

    private var isOutOfRoom: Bool { [ENOSPC, EDQUOT, EFBIG].contains(systemError) }

    /// Whether a value was larger than SQLite's limit. For a written value this is a rejection.
    var isTooLarge: Bool { primary == SQLITE_TOOBIG }

    /// Stored rows that contradict each other.
    static func corrupt(_ message: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_CORRUPT, systemError: 0, message: message)
    }

    /// The error that the store's caller gets.
    var storeError: StoreError {
        if isFull { return .full }
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG:
            return .corrupt(description)
        default: return .inputOutput(description)
        }
    }

    /// One line for people: SQLite's message, its code, the system's error.
    var description: String {
        let system = systemError == 0 ? "" : ", errno \(systemError)"
        return "\(message) (SQLite code \(code)\(system))"
    }
}
