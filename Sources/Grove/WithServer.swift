public import GroveNetwork
import GroveServer
public import Transducers

/// Starts a server with these machines, runs `body`, and stops the server, also when `body` throws.
/// For programs that need a server for a while, and for tests of hosted machines.
///
/// ```swift
/// let counter = Definition(Counter.self, named: "counter", version: "1.0.0")
/// try await withServer([counter]) { address in
///     let client = Client(server: .tcp(host: "127.0.0.1", port: address.port))
///     try await client.send(to: "counter/a", event: "increment")
/// }
/// ```
///
/// The program handles signals itself.
///
/// - Parameters:
///   - definitions: The machines. Their names differ.
///   - handlers: Handlers that effects may call, besides the server's own `http`.
///   - settings: Configuration keys with their values as in flags
///     (docs/reference/configuration.md). By default the server listens on a free loopback port,
///     keeps everything in memory, and logs warnings and errors.
///   - isolation: The caller's actor. `body` runs on it.
///   - body: Receives the server's first listening address.
/// - Throws: `Server.Failure`, or the error of `body`.
public func withServer<Result>(
    _ definitions: [Definition], handlers: EffectHandlers = EffectHandlers(),
    settings: [String: String] = [:], isolation: isolated (any Actor)? = #isolation,
    _ body: (SocketAddress) async throws -> Result
) async throws -> Result {
    let flags = ["listen": "127.0.0.1:0", "data": ":memory:", "log-level": "warning"]
        .merging(settings) { $1 }
    let configuration: ServerConfiguration
    do throws(ConfigurationError) {
        configuration = try ServerConfiguration.load(ConfigurationSource(flags: flags))
    } catch {
        throw Server.Failure.configuration(error.description)
    }
    let server = try Server(configuration, hosting: definitions, handlers: handlers)
    try await server.start()
    guard let address = await server.listeningAddress else {
        throw Server.Failure.configuration("the server has no address to listen on")
    }
    let result: Result
    do {
        result = try await body(address)
    } catch {
        // The error of the body matters more than one of the stop.
        try? await server.stop()
        throw error
    }
    try await server.stop()
    return result
}
