/// A store that can copy itself while it goes on working.
public protocol BackupStore: Store {
    /// Begins a copy of everything that is committed; one at a time.
    ///
    /// - Throws: `.full` or `.inputOutput` when there is no place for it. The store itself goes on.
    func beginBackup() throws(StoreError) -> any StoreBackup
}

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

/// How far a backup is.
public struct BackupProgress: Sendable, Equatable {
    /// Pages copied. May go back when the disk of the store was full in between.
    public var copied: Int64
    /// Pages there are; grows with the store.
    public var pages: Int64
    /// The length of the copy, once it is complete.
    public var bytes: Int64?

    /// Puts the three together.
    public init(copied: Int64, pages: Int64, bytes: Int64? = nil) {
        self.copied = copied
        self.pages = pages
        self.bytes = bytes
    }
}
