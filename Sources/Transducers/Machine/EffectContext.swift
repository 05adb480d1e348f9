/// What the closures of effects are given besides the environment.
public struct EffectContext: Sendable {
    /// The clock to wait by: the one the machine was started with, so that tests can advance
    /// time at will.
    public let clock: any Clock<Duration>

    /// The number of this run of the effect.
    public let run: EffectRunID

    /// The handlers that effects may call.
    let handlers: EffectHandlers

    /// Where the random part of pauses between tries begins.
    let seed: UInt64

    /// Where the tasks of its handlers run; `nil` for anywhere.
    var executor: (any TaskExecutor)?

    /// Waits for `duration` by ``clock``.
    ///
    /// - Throws: `CancellationError` when the effect is cancelled meanwhile.
    public func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, tolerance: nil)
    }
}
