/// What went on in a run that no sender was told of.
public struct RunReport: Sendable {
    /// Failures of effects that neither the machine (``RunnableTransducer/effectFailed(_:)``)
    /// nor a tracked send has been told of: the last 16.
    public internal(set) var effectFailures: [EffectFailure] = []

    /// How many there were in all.
    public internal(set) var effectFailureCount = 0

    /// Events that `update` refused, or failed at, and whose sender didn't wait for an answer.
    public internal(set) var refusedCount = 0

    /// Events that waited when the machine ended, and whose sender didn't wait for an answer.
    public internal(set) var unappliedCount = 0

    /// Events of effects that had been replaced or cancelled. They didn't count.
    public internal(set) var staleCount = 0

    mutating func add(_ failure: EffectFailure) {
        effectFailureCount += 1
        if effectFailures.count == Self.failuresMax { effectFailures.removeFirst() }
        effectFailures.append(failure)
    }
}
