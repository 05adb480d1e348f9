/// When a parallel product ends, and the effect of a side's failure.
/// ``EndsWithAny``, ``EndsWithAll``, ``EndsWithFirst`` and ``EndsWithSecond`` are ready-made.
public protocol ParallelRule: SendableMetatype {
    /// The sides whose end ends the product.
    static var termination: ParallelTermination { get }
    /// The effect of a side's failure. By default the product ends.
    static var sideFailure: SideFailurePolicy { get }
}

extension ParallelRule {
    /// The product ends.
    public static var sideFailure: SideFailurePolicy { .stopsOther }
}

/// The effect of a side's failure.
///
/// A side **fails** when one of its effects fails permanently and it has no event for that
/// (``RunnableTransducer/effectFailed(_:)`` returns `nil`), or when it ends in a failure state
/// (``FailableState``). An event that a side refuses is no failure: nothing has changed.
public enum SideFailurePolicy: Sendable, Equatable {
    /// The product ends, regardless of its termination: effects of the other side are canceled, and
    /// it accepts no more events.
    case stopsOther
    /// The other side continues. The failure of an effect is in the ``RunReport``, and the product
    /// ends by its termination.
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
