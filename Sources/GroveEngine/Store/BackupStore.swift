/// A store that can copy itself while it goes on working.
public protocol BackupStore: Store {
    /// Begins a copy of everything that is committed; one at a time.
    ///
    /// - Throws: `.full` or `.inputOutput` when there is no place for it. The store itself goes on.
    func beginBackup() throws(StoreError) -> any StoreBackup
}
