import Logging
import ServiceLifecycle

/// Running as the process.
extension Server {
    /// Starts, serves until the first SIGTERM or SIGINT, and stops gracefully. A second signal,
    /// or the end of the grace time, ends the process as if killed; both are safe. SIGHUP makes
    /// it read its configuration again.
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
        let watch = SignalWatch()
        let service = ServerService(server: self, watch: watch)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                ],
                logger: quietLog))
        await watch.start {
            Task { await group.triggerGracefulShutdown() }
        } hangup: {
            Task { await self.reload() }
        }
        do {
            try await group.run()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .configuration("the server could not be run: \(error)")
        }
    }

    /// The lifecycle library's own steps are only interesting when something is wrong.
    private var quietLog: Logger {
        var log = log
        log.logLevel = max(log.logLevel, .error)
        return log
    }
}

/// The server as the lifecycle library sees it.
struct ServerService: Service {
    let server: Server
    let watch: SignalWatch

    func run() async throws {
        try await server.start()
        Supervisor.tell(.ready)
        try await gracefulShutdown()
        Supervisor.tell(.stopping)
        await watch.killLater(milliseconds: await server.graceMilliseconds)
        try await server.stop()
    }
}
