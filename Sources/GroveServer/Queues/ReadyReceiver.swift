import GroveEngine

/// The io side, which sends replies and records to connections.
protocol ReadyReceiver: Sendable {
    /// Sends replies and records, in the order of the calls.
    ///
    /// - Parameters:
    ///   - ready: All that the engine released.
    ///   - commit: The commit, if it was one.
    func receive(_ ready: Ready, of commit: CommitStats?)

    /// Sends replies and records at once, on the caller's thread, unless the io side is at work.
    /// Returns whether it did.
    func receiveNow(_ ready: Ready, of commit: CommitStats?) -> Bool

    /// Reads the sockets on the caller's thread, unless the io side is at work: waits until one is
    /// ready, for a millisecond at most. Returns the requests, by connection. From then on sockets
    /// are only read by the next call, or after ``endReading()`` or any result.
    func readNow() -> [[Request]]

    /// Lets the io side read the sockets by itself again.
    func endReading()

    /// Calls `done` when everything received before has been sent.
    func receive(_ done: @escaping @Sendable () -> Void)

    /// Receives the answer to ``EngineLoop/sendHeartbeat()``.
    func receive(_ heartbeat: EngineHeartbeat)
}

/// An io side that works on its own thread only.
extension ReadyReceiver {
    func receiveNow(_ ready: Ready, of commit: CommitStats?) -> Bool { false }

    func readNow() -> [[Request]] { [] }

    func endReading() {}
}
