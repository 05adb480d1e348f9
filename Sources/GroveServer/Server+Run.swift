import Logging
import ServiceLifecycle

/// Running as the process.
extension Server {
    /// Starts, serves until the first SIGTERM or SIGINT, and stops gracefully. A second signal,
    /// or the end of the grace time, ends the process as if killed; both are safe.
    ///
    /// - Throws: ``Failure``; end the process with its `exitCode`.
    public func run() async throws(Failure) {
        let watch = SignalWatch()
        let service = ServerService(server: self, watch: watch, grace: graceMilliseconds)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [
                    .init(
                        service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                ],
                logger: quietLog))
        await watch.start { Task { await group.triggerGracefulShutdown() } }
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
    let grace: Int64

    func run() async throws {
        try await server.start()
        try await gracefulShutdown()
        await watch.killLater(milliseconds: grace)
        try await server.stop()
    }
}
