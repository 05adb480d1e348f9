// Bounds of handlers that an operator can't set, each with its reason.

extension EffectRunner {
    /// Attempts of a handler that may go on after their time, as a multiple of those that may run.
    static let overdueFactorMax = 4
}
