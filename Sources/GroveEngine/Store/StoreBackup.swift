/// A copy of a store: made in turns between commits, then read, then removed.
///
/// It includes data committed while it is made: it shows the store at the end of the last turn.
/// Confined to the store's queue.
public protocol StoreBackup: AnyObject {
    var progress: BackupProgress { get }

    /// Copies for about a millisecond. Does nothing once the copy is complete.
    ///
    /// - Throws: when the copy can't be finished. The store isn't affected; end the copy.
    func step() throws(StoreError)

    /// Up to `count` bytes of the complete copy, from `offset`.
    func read(at offset: Int64, count: Int) throws(StoreError) -> [UInt8]

    /// Removes the copy; a second call does nothing.
    func end()
}
