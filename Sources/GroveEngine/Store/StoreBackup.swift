/// A copy of a store: made in turns between commits, then read, then gone.
///
/// What is committed while it is made is part of it: it shows the store as it was at the end of
/// the last turn. Confined to the store's queue.
public protocol StoreBackup: AnyObject {
    /// How far it is.
    var progress: BackupProgress { get }

    /// Copies about a millisecond's worth. Does nothing once the copy is complete.
    ///
    /// - Throws: when the copy can't be finished. The store itself is as before; the copy is to
    ///   be ended.
    func step() throws(StoreError)

    /// Bytes of the complete copy from `offset` on, `count` of them or as many as are left.
    func read(at offset: Int64, count: Int) throws(StoreError) -> [UInt8]

    /// Removes the copy; a second call does nothing.
    func end()
}
