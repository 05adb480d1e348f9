/// The product ends with its second side, or when one fails.
public enum EndsWithSecond: ParallelRule {
    /// The end of the second.
    public static var termination: ParallelTermination { .second }
}
