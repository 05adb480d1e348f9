/// The pauses of a client between two attempts to reach a server that is away, or to repeat a call
/// that the server has postponed.
///
/// The delay doubles from ``initialDelay`` up to ``delayMax``; a random part of it, ``jitter``, is
/// subtracted, so that many clients of one server don't come back at the same moment.
public struct ReconnectPolicy: Hashable, Sendable {
    /// The delay before the first attempt, before jitter.
    public var initialDelay: Duration
    /// The longest delay.
    public var delayMax: Duration
    /// The largest part of a delay that is subtracted at random, from 0 (none) to 1 (all of it).
    public var jitter: Double
    /// The largest number of failed attempts in a row, after which the subscriptions end with the
    /// last error; `nil` for no bound, 0 for no attempt. Calls only end at their deadline.
    public var attemptsMax: Int?

    /// A policy: 100 ms at first, 5 s at most, half of it at random, for ever.
    public init(
        initialDelay: Duration = .milliseconds(100), delayMax: Duration = .seconds(5),
        jitter: Double = 0.5, attemptsMax: Int? = nil
    ) {
        self.initialDelay = initialDelay
        self.delayMax = delayMax
        self.jitter = jitter
        self.attemptsMax = attemptsMax
    }

    /// Never reconnects: a subscription ends with the connection it runs on.
    public static let never = ReconnectPolicy(attemptsMax: 0)

    /// The delay before `attempt`, which counts from 1, given a random number from 0 up to 1;
    /// `nil` when there is no such attempt.
    public func delay(beforeAttempt attempt: Int, chance: Double) -> Duration? {
        if let attemptsMax, attempt > attemptsMax { return nil }
        return pause(beforeAttempt: attempt, chance: chance)
    }

    /// The delay before `attempt`, without the bound on attempts, which calls don't have.
    func pause(beforeAttempt attempt: Int, chance: Double) -> Duration {
        var delay = initialDelay
        var doublings = attempt - 1
        while doublings > 0, delay < delayMax {
            delay *= 2
            doublings -= 1
        }
        delay = min(delay, delayMax)
        let kept = 1 - min(max(jitter, 0), 1) * min(max(chance, 0), 1)
        return delay * kept
    }
}
