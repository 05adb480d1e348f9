import CSQLite
import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What SQLite answered instead of success. Holds no SQL and no values.
struct SQLiteFailure: Error {
    /// The extended result code (https://sqlite.org/rescode.html).
    let code: Int32

    /// `errno` of the system call that failed; 0 when there was none.
    let systemError: Int32

    /// `SQLITE_IOERR_WRITE`, whose macro Swift does not import.
    private static let writeFailed = SQLITE_IOERR | (3 << 8)

    /// SQLite's own words.
    let message: String

    /// The result code without its extension.
    var primary: Int32 { code & 0xFF }

    /// Whether the disk was full before anything could have been synced. SQLite answers
    /// `SQLITE_FULL` for ENOSPC of a write only; quotas and file size limits arrive as a write
    /// error with their `errno`. The same from a sync is *not* meant: then the outcome is open.
    var isFull: Bool {
        primary == SQLITE_FULL || (code == SQLiteFailure.writeFailed && isOutOfRoom)
    }

    private var isOutOfRoom: Bool { [ENOSPC, EDQUOT, EFBIG].contains(systemError) }

    /// Whether a value was larger than SQLite was told to take: of one that is written, a refusal.
    var isTooLarge: Bool { primary == SQLITE_TOOBIG }

    /// What the caller of the store is told.
    var storeError: StoreError {
        if isFull { return .full }
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG:
            return .corrupt(description)
        default: return .inputOutput(description)
        }
    }

    /// One line for people: SQLite's words, its code, the system's error.
    var description: String {
        let system = systemError == 0 ? "" : ", errno \(systemError)"
        return "\(message) (SQLite code \(code)\(system))"
    }
}
