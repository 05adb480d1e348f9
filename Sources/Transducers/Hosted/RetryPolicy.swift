/// The attempts of a durable effect and the pauses between them: exponential back-off with a cap,
/// and jitter so that effects that failed together don't repeat together.
///
/// After a ``PermanentFailure`` there is no further attempt, whatever the policy is.
public struct RetryPolicy: Sendable, Hashable, Codable {
    /// The attempts in total, at least 1.
    public var attemptsMax: Int
    /// The milliseconds between the first two attempts.
    public var intervalMilliseconds: Int64
    /// The factor of each further pause, at least 1.
    public var factor: Double
    /// The longest pause in milliseconds.
    public var intervalMillisecondsMax: Int64
    /// The random part of a pause, 0 to 1: with 0.5, a pause is between half and the whole of its
    /// length.
    public var jitter: Double
    /// The milliseconds since the first attempt after which no further one begins; `nil` for no
    /// bound.
    public var totalMillisecondsMax: Int64?

    /// A policy; values out of range become the nearest ones in range.
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

    /// The policy with numbers that are exact in JSON; the greatest number of attempts is no bound.
    @usableFromInline var storable: RetryPolicy {
        var policy = self
        policy.attemptsMax = min(max(1, attemptsMax), Int(HostedRun.integerMax))
        policy.intervalMilliseconds = HostedRun.storable(intervalMilliseconds)
        policy.intervalMillisecondsMax = HostedRun.storable(intervalMillisecondsMax)
        policy.totalMillisecondsMax = totalMillisecondsMax.map(HostedRun.storable)
        policy.factor = factor.isFinite ? max(1, factor) : 1
        policy.jitter = jitter.isFinite ? min(1, max(0, jitter)) : 0
        return policy
    }

    /// One attempt.
    public static let never = RetryPolicy(attemptsMax: 1)

    /// Eight attempts over about two minutes: pauses of 1, 2, 4 … seconds, each shortened by up to
    /// half.
    public static let standard = RetryPolicy(attemptsMax: 8)

    /// Attempts for `duration`, with pauses of up to five minutes.
    public static func lasting(_ duration: Duration) -> RetryPolicy {
        RetryPolicy(attemptsMax: 1_000_000, totalMax: duration)
    }

    /// The pause after a failed attempt in milliseconds; `nil` after the last one.
    ///
    /// - Parameters:
    ///   - attempt: The number of the failed attempt, from 1.
    ///   - elapsed: The milliseconds since the first attempt.
    ///   - draw: A number from 0 to 1, for the jitter.
    ///   - least: The shortest pause in milliseconds (``RetryLater``).
    public func pause(
        afterAttempt attempt: Int, elapsed: Int64, draw: Double, least: Int64 = 0
    ) -> Int64? {
        guard attempt < attemptsMax else { return nil }
        var pause = Double(intervalMilliseconds)
        let bound = Double(intervalMillisecondsMax)
        // Stops at the cap, so that many attempts cost nothing.
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
    /// Whole milliseconds, at most 292 million years.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isOver) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isOver ? (seconds < 0 ? .min : .max) : sum
    }
}
