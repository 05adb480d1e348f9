/// Receives the results of a send.
protocol EffectObserver: AnyObject, Sendable {
    /// An effect failed permanently; others may continue.
    func failed(_ error: any Error)
    /// Some of the work was canceled, or never ran.
    func cancelled()
    /// All work has ended.
    func settled()
}
