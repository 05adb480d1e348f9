/// An error of a store.
public enum StoreError: Error, Sendable, Equatable {
    /// The disk is full; nothing was written, and reads still work.
    case full
    /// Only from a commit: a row in it is larger than the store's limit. Nothing was written, and
    /// the store continues.
    case tooLarge(String)
    /// A read or write failed: the state of the disk is unknown until the next start.
    case inputOutput(String)
    /// Stored bytes don't match their checksum, chain or format; the text names the location.
    case corrupt(String)
}
