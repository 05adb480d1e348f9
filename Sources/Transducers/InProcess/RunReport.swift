/// The failures and refusals of a run that weren't reported to a sender.
public struct RunReport: Sendable {
    /// The last 16 failures of effects for which the machine had no event
    /// (``RunnableTransducer/effectFailed(_:)``) and that belong to no tracked send.
    public internal(set) var effectFailures: [EffectFailure] = []

    /// The total number of these failures.
    public internal(set) var effectFailureCount = 0

    /// The number of events that `update` refused or failed with, and whose sender didn't wait.
    public internal(set) var refusedCount = 0

    /// The number of events that waited at the machine's end, and whose sender didn't wait.
    public internal(set) var unappliedCount = 0

    /// The number of dropped events of effects that had been replaced or canceled.
    public internal(set) var staleCount = 0

    mutating func add(_ failure: EffectFailure) {
        effectFailureCount += 1
        if effectFailures.count == Self.failuresMax { effectFailures.removeFirst() }
        effectFailures.append(failure)
    }
}
