/// How long a client waits between two attempts to reach a server that is away, or to repeat what
/// the server has put off.
///
/// The delay doubles from ``initialDelay`` up to ``delayMax``; a random part of it, ``jitter``, is
/// taken off, so that many clients of one server don't come back at the same moment.
public struct ReconnectPolicy: Hashable, Sendable {
    /// The delay before the first attempt, before jitter.
    public var initialDelay: Duration
    /// No delay is longer than this.
    public var delayMax: Duration
    /// The largest part of a delay that chance may take off, from 0 (none) to 1 (all of it).
    public var jitter: Double
    /// After so many attempts in a row without success the subscriptions end with the last
    /// error; `nil` tries for ever, 0 never tries. Calls are not counted: they have their time.
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
    /// `nil` when there shall be no such attempt.
    public func delay(beforeAttempt attempt: Int, chance: Double) -> Duration? {
        if let attemptsMax, attempt > attemptsMax { return nil }
        return pause(beforeAttempt: attempt, chance: chance)
    }

    /// The delay before `attempt`, however many there may be: calls give up by their own time.
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
