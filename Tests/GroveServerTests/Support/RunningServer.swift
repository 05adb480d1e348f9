import BuiltInMachines
import GroveEngine
import GroveNetwork
import GroveStorage
import Logging
import Transducers

@testable import GroveServer

/// A server in this process, on a port that the system chooses.
struct RunningServer {
    let server: Server
    let address: SocketAddress

    /// Starts a server with a store in memory, unless `change` sets other options.
    static func start(
        _ change: (inout ServerOptions) -> Void = { _ in },
        machines: [Definition] = BuiltInMachines.definitions, log: Logger = Log.silent,
        fatal: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) async throws -> RunningServer {
        var options = ServerOptions()
        options.listen = [.loopbackV4(port: 0)]
        change(&options)
        let server = Server(
            options: options, catalogue: try Catalogue(machines),
            log: log, fatal: fatal)
        try await server.start()
        guard let address = await server.listeningAddress else {
            throw RawClient.Failure(text: "the server listens nowhere")
        }
        return RunningServer(server: server, address: address)
    }

    func connect() throws -> RawClient { try RawClient(address) }

    func stop() async throws { try await server.stop(graceMilliseconds: 4_000) }

    /// Runs `body` with a server and always stops it.
    static func with(
        _ change: (inout ServerOptions) -> Void = { _ in },
        machines: [Definition] = BuiltInMachines.definitions, log: Logger = Log.silent,
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        let running = try await start(change, machines: machines, log: log)
        do {
            try await body(running)
        } catch {
            // The error of `body` is the one to report.
            try? await running.stop()
            throw error
        }
        try await running.stop()
    }
}
