import GroveEngine

extension SQLiteStore {
    /// Opens a data file for inspection. No byte of the file, its log or its directory changes,
    /// even after a crash. Reads and `checkAll` are allowed; a commit is a bug. A file without a
    /// log, such as a backup, needs no permission to write, nor does its directory.
    ///
    /// - Throws: See `StoreOpenError`; `.owned` while a server has it open.
    package static func inspect(path: String) throws(StoreOpenError) -> SQLiteStore {
        let resolved = try StoreFile.resolve(path)
        guard let file = try StoreFile.open(resolved, forReading: true) else {
            throw .unusablePath("\(path) does not exist")
        }
        return try SQLiteStore(
            StoreOpening(file: file, options: SQLiteStoreOptions(), isInspection: true))
    }

    /// Whether the file is a copy that no server has opened yet.
    package var isCopy: Bool { state.meta.isCopy }
}
