/// The sides whose end ends the whole.
public enum ParallelTermination: Sendable, Equatable {
    /// The end of either.
    case any
    /// The ends of both; until then, an event for the one that has ended is refused.
    case all
    /// The end of the first.
    case first
    /// The end of the second.
    case second
}
