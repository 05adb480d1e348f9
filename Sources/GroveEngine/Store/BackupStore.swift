/// A store that can copy itself during use.
public protocol BackupStore: Store {
    /// Starts a copy of all committed data; one at a time.
    ///
    /// - Throws: `.full` or `.inputOutput` when the copy can't be created. The store isn't
    ///   affected.
    func beginBackup() throws(StoreError) -> any StoreBackup
}
