/// The progress of a backup.
public struct BackupProgress: Sendable, Equatable {
    /// Pages copied. May decrease after the store's disk was full.
    public var copied: Int64
    /// All pages; grows with the store.
    public var pages: Int64
    /// The length of the copy, once it is complete.
    public var bytes: Int64?

    public init(copied: Int64, pages: Int64, bytes: Int64? = nil) {
        self.copied = copied
        self.pages = pages
        self.bytes = bytes
    }
}
