/// How often a durable effect that fails is tried again, and after which pauses: exponential
/// back-off with a cap, and jitter so that many that failed together don't come back together.
///
/// A handler that throws ``PermanentFailure`` is not tried again, whatever the policy says.
public struct RetryPolicy: Sendable, Hashable, Codable {
    /// Tries in all, at least 1.
    public var attemptsMax: Int
    /// Milliseconds between the first try and the second.
    public var intervalMilliseconds: Int64
    /// What each further pause is multiplied with, at least 1.
    public var factor: Double
    /// Milliseconds that no pause is longer than.
    public var intervalMillisecondsMax: Int64
    /// The part of a pause that is random each time, 0 to 1: of 0.5, a pause is between half and
    /// the whole of its length.
    public var jitter: Double
    /// Milliseconds since the first try after which no further one begins; `nil` for no bound.
    public var totalMillisecondsMax: Int64?

    /// A policy; values out of range become the nearest in range.
    public init(
        attemptsMax: Int, interval: Duration = .seconds(1), factor: Double = 2,
        intervalMax: Duration = .seconds(300), jitter: Double = 0.5, totalMax: Duration? = nil
    ) {
        self.attemptsMax = max(1, attemptsMax)
        self.intervalMilliseconds = max(0, interval.milliseconds)
        self.factor = factor.isFinite ? max(1, factor) : 1
        self.intervalMillisecondsMax = max(0, intervalMax.milliseconds)
        self.jitter = jitter.isFinite ? min(1, max(0, jitter)) : 0
        self.totalMillisecondsMax = totalMax.map { max(0, $0.milliseconds) }
    }

    /// The same with every number such that JSON can say it: a policy of as many tries as there are
    /// numbers is one without end.
    var storable: RetryPolicy {
        var policy = self
        policy.attemptsMax = min(max(1, attemptsMax), Int(HostedRun.integerMax))
        policy.intervalMilliseconds = HostedRun.storable(intervalMilliseconds)
        policy.intervalMillisecondsMax = HostedRun.storable(intervalMillisecondsMax)
        policy.totalMillisecondsMax = totalMillisecondsMax.map(HostedRun.storable)
        policy.factor = factor.isFinite ? max(1, factor) : 1
        policy.jitter = jitter.isFinite ? min(1, max(0, jitter)) : 0
        return policy
    }

    /// One try.
    public static let never = RetryPolicy(attemptsMax: 1)

    /// Eight tries over about two minutes: pauses of 1, 2, 4 … seconds, each shortened by up to
    /// half.
    public static let standard = RetryPolicy(attemptsMax: 8)

    /// Tries for as long as `duration`, with pauses of up to five minutes.
    public static func lasting(_ duration: Duration) -> RetryPolicy {
        RetryPolicy(attemptsMax: 1_000_000, totalMax: duration)
    }

    /// The pause after a try that failed, in milliseconds, or `nil` when it was the last.
    ///
    /// - Parameters:
    ///   - attempt: Which try failed, from 1.
    ///   - elapsed: Milliseconds since the first try began.
    ///   - draw: A number from 0 to 1, for the jitter.
    ///   - least: Milliseconds that the pause takes at least, see ``RetryLater``.
    public func pause(
        afterAttempt attempt: Int, elapsed: Int64, draw: Double, least: Int64 = 0
    ) -> Int64? {
        guard attempt < attemptsMax else { return nil }
        var pause = Double(intervalMilliseconds)
        let bound = Double(intervalMillisecondsMax)
        // Stops where the cap is met, so that a policy of many tries costs nothing.
        var rest = attempt - 1
        while rest > 0, pause < bound, factor > 1 {
            pause *= factor
            rest -= 1
        }
        pause = min(pause, bound)
        pause -= pause * jitter * min(1, max(0, draw))
        let milliseconds = max(Int64(pause), least)
        if let totalMillisecondsMax,
            elapsed.addingReportingOverflow(milliseconds).partialValue >= totalMillisecondsMax
        {
            return nil
        }
        return milliseconds
    }
}

extension Duration {
    /// Whole milliseconds; what is longer than 292 million years is that long.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isOver) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isOver ? (seconds < 0 ? .min : .max) : sum
    }
}
