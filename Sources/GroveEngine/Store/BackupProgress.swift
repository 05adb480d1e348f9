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
