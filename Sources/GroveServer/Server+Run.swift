import GroveNetwork

/// Running the server as the process.
extension Server {
    /// Starts, serves until the first SIGTERM or SIGINT, and stops gracefully. A second signal,
    /// or the end of the grace time, ends the process as if killed; both are safe. The grace time
    /// begins with the first signal, also during the start. At SIGHUP it reads its configuration
    /// again.
    ///
    /// - Parameters:
    ///   - configuration: The configuration with the server's options; `nil` when the program made
    ///     them, then there is nothing to read again.
    ///   - source: The places of the configuration.
    /// - Throws: ``Failure``; end the process with its `exitCode`.
    public func run(
        _ configuration: ServerConfiguration? = nil, from source: ConfigurationSource? = nil
    ) async throws(Failure) {
        configure(configuration, from: source)
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let watch = SignalWatch(graceMilliseconds: graceMilliseconds)
        signalWatch = watch
        defer { watch.post { $0.disarm() } }
        await watch.start {
            stop.yield()
        } hangup: {
            Task { _ = await self.reload() }
        }
        try await start()
        SystemdNotifier.notify(.ready)
        // A signal that came during the start is in the stream already.
        for await _ in stops { break }
        SystemdNotifier.notify(.stopping)
        try await self.stop()
    }
}
