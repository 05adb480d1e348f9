import GroveEngine

extension SQLiteStore: BackupStore {
    /// Begins a copy beside the data file, under the name `NAME.copying`.
    ///
    /// - Precondition: The one before was ended.
    public func beginBackup() throws(StoreError) -> any StoreBackup {
        _ = try tables()
        precondition(backup?.isEnded ?? true, "a store is copied once at a time")
        let begun = try SQLiteBackup.begin(self)
        backup = begun
        return begun
    }

    /// The committed facts as the copy is to have them: not in use, and to be given an id of its
    /// own when it is opened.
    var metaOfCopy: Meta {
        var meta = state.meta
        meta.isInUse = false
        meta.isCopy = true
        meta.head = state.head
        return meta
    }

    /// The name under which a copy is made. Always the same: the file's owner makes one at a time,
    /// and what a crash leaves is found again.
    static func pathOfCopy(_ path: String) -> String { path + ".copying" }
}
