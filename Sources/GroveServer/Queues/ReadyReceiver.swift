import GroveEngine

/// The io side, which sends replies and records to connections.
protocol ReadyReceiver: Sendable {
    /// Sends replies and records, in the order of the calls.
    ///
    /// - Parameters:
    ///   - ready: All that the engine released.
    ///   - commit: The commit, if it was one.
    func receive(_ ready: Ready, of commit: CommitStats?)

    /// Calls `done` when everything received before has been sent.
    func receive(_ done: @escaping @Sendable () -> Void)

    /// Receives the answer to ``EngineLoop/sendHeartbeat(withNumbers:)``.
    func receive(_ heartbeat: EngineHeartbeat)
}
