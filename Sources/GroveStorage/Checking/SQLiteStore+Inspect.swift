import GroveEngine

extension SQLiteStore {
    /// Opens a data file to be looked at: no byte of it, of its log or of its directory changes,
    /// also when a crash has left them. Reads and `checkAll` work; a commit is a bug. A file
    /// without a log, such as a backup, needs no permission to write, nor does its directory.
    ///
    /// - Throws: see `StoreOpenError`; `.owned` while a server has it open.
    public static func inspect(path: String) throws(StoreOpenError) -> SQLiteStore {
        let resolved = try StoreFile.resolve(path)
        guard let file = try StoreFile.open(resolved, forReading: true) else {
            throw .unusablePath("\(path) does not exist")
        }
        return try SQLiteStore(
            StoreOpening(file: file, options: SQLiteStoreOptions(), isInspection: true))
    }

    /// Whether it is a copy that no server has opened yet.
    public var isCopy: Bool { state.meta.isCopy }
}
