import GroveNetwork

/// Running as the process.
extension Server {
    /// Starts, serves until the first SIGTERM or SIGINT, and stops gracefully. A second signal,
    /// or the end of the grace time, ends the process as if killed; both are safe. The grace time
    /// begins with the first signal, also when that comes during the start. SIGHUP makes it read
    /// its configuration again.
    ///
    /// - Parameters:
    ///   - configuration: The configuration that the server's options are of; `nil` when the
    ///     program made them, then there is nothing to be read again.
    ///   - source: Where the configuration came from.
    /// - Throws: ``Failure``; end the process with its `exitCode`.
    public func run(
        _ configuration: ServerConfiguration? = nil, from source: ConfigurationSource? = nil
    ) async throws(Failure) {
        remember(configuration, from: source)
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let watch = SignalWatch(graceMilliseconds: graceMilliseconds)
        signalWatch = watch
        defer { watch.post { $0.disarm() } }
        await watch.start {
            stop.yield()
        } hangup: {
            Task { await self.reload() }
        }
        try await start()
        SystemdNotifier.notify(.ready)
        // A signal that came during the start is in the stream already.
        for await _ in stops { break }
        SystemdNotifier.notify(.stopping)
        try await self.stop()
    }
}
