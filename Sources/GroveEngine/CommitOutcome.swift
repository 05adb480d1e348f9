/// The known outcome of a commit. An unknown one isn't any: the process ends.
public enum CommitOutcome: Sendable, Equatable {
    /// All of it is durable.
    case durable
    /// Nothing of it was written: the disk is full.
    case full
    /// Nothing of it was written: a part is larger than the store takes, with the reason.
    case refused(String)
}
