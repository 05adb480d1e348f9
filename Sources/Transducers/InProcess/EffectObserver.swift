/// The follower of what comes of a send.
protocol EffectObserver: AnyObject, Sendable {
    /// An effect failed for good; others may go on.
    func failed(_ error: any Error)
    /// Some of the work was cancelled, or never ran.
    func cancelled()
    /// Nothing is under way any more.
    func settled()
}
