/// When a parallel product has ended, and what the failure of one side means for the other.
/// ``EndsWithAny``, ``EndsWithAll``, ``EndsWithFirst`` and ``EndsWithSecond`` are ready-made.
public protocol ParallelRule: SendableMetatype {
    /// Whose end is the end of the product.
    static var termination: ParallelTermination { get }
    /// What becomes of the product when one side fails. By default it ends.
    static var sideFailure: SideFailurePolicy { get }
}

extension ParallelRule {
    /// The other side is stopped too.
    public static var sideFailure: SideFailurePolicy { .stopsOther }
}

/// What the failure of one side means for the other.
///
/// A side **fails** when an effect of it fails for good and it has no event for that
/// (``RunnableTransducer/effectFailed(_:)`` gives `nil`), or when it ends in a state that calls
/// itself a failure (``FailableState``). An event that a side refuses, or throws at, is no
/// failure: nothing has changed.
public enum SideFailurePolicy: Sendable, Equatable {
    /// The product ends, whatever else its rule says: effects of the other side are cancelled,
    /// and it takes no more events.
    case stopsOther
    /// The other side continues. The failure of an effect is kept by what runs the product
    /// (``RunReport``), and the product ends as its rule says.
    case isKept
}

/// The product ends with either side, or when one fails.
public enum EndsWithAny: ParallelRule {
    /// The end of either.
    public static var termination: ParallelTermination { .any }
}

/// The product ends when both sides have ended, or when one fails.
public enum EndsWithAll: ParallelRule {
    /// The ends of both.
    public static var termination: ParallelTermination { .all }
}

/// The product ends with its first side, or when one fails.
public enum EndsWithFirst: ParallelRule {
    /// The end of the first.
    public static var termination: ParallelTermination { .first }
}
