/// The least time between the starts of two effects of a queue.
public enum EffectQueueDelay: Hashable, Sendable {
    /// The same each time.
    case constant(Duration)
    /// Random each time.
    case random(ClosedRange<Duration>)

    /// No delay.
    public static let zero = EffectQueueDelay.constant(.zero)

    /// The same each time, in seconds.
    public static func constant(_ seconds: Double) -> EffectQueueDelay {
        .constant(.seconds(seconds))
    }

    /// Random each time, in seconds.
    public static func random(_ seconds: ClosedRange<Double>) -> EffectQueueDelay {
        .random(.seconds(seconds.lowerBound) ... .seconds(seconds.upperBound))
    }
}
