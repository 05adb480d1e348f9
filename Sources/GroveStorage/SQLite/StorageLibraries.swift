import CSQLite
import CZlib

/// The libraries of the system that data files need.
public enum StorageLibraries {
    /// The version of SQLite that the process uses, which may be newer than that of its build.
    public static var sqlite: String { String(cString: sqlite3_libversion()) }

    /// The version of zlib that the process uses.
    public static var zlib: String { String(cString: zlibVersion()) }
}
