import GroveEngine

extension SQLiteStore: BackupStore {
    /// Starts a copy next to the data file, named `NAME.copying`.
    ///
    /// - Precondition: The previous copy has ended.
    public func beginBackup() throws(StoreError) -> any StoreBackup {
        _ = try tables()
        precondition(backup?.isEnded ?? true, "a store is copied once at a time")
        let begun = try SQLiteBackup.begin(self)
        backup = begun
        return begun
    }

    /// The committed facts for the copy: not in use, and marked to get another id when it is
    /// opened.
    var metaOfCopy: Meta {
        var meta = state.meta
        meta.isInUse = false
        meta.isCopy = true
        meta.head = state.head
        return meta
    }

    /// From now on it is a copy, which gets another id when it is opened next, unless it has got
    /// one just now. Written when it is closed.
    func becomeCopy() {
        if formerLogID == nil { state.meta.isCopy = true }
    }

    /// The path of a copy that is being made. Always the same: the file's owner makes one at a
    /// time, and the next start finds the file that a crash left.
    static func pathOfCopy(_ path: String) -> String { path + endingOfCopy }

    static let endingOfCopy = ".copying"
}
