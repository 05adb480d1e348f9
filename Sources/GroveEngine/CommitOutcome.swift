/// The known outcome of a commit. After an unknown one, the process ends.
public enum CommitOutcome: Sendable, Equatable {
    case durable
    /// Nothing was written: the disk is full.
    case full
    /// Nothing was written: a row is larger than the store accepts, with the reason.
    case refused(String)
}
