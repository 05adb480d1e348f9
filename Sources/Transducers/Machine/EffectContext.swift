/// The context of an effect's closure.
public struct EffectContext: Sendable {
    /// The machine's clock, so that tests can control time.
    public let clock: any Clock<Duration>

    /// The number of this run.
    public let run: EffectRunID

    /// The handlers that effects may call.
    let handlers: EffectHandlers

    /// The seed of the random part of pauses between attempts.
    let seed: UInt64

    /// The executor of its handlers' tasks; `nil` for the default.
    var executor: (any TaskExecutor)?

    /// Waits for `duration` by ``clock``.
    ///
    /// - Throws: `CancellationError` if the effect is canceled meanwhile.
    public func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, tolerance: nil)
    }
}
