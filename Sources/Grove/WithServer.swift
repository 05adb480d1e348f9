import GroveEngine
public import GroveServer
public import Transducers

/// Runs `body` beside a server that hosts these machines, and stops the server when it has ended,
/// well or not: for programs that host machines by the way, and for tests of hosted machines.
///
/// ```swift
/// let counter = Definition(Counter.self, named: "counter", version: "1.0.0")
/// try await withServer([counter]) { address in
///     let client = Client(server: .tcp(host: "127.0.0.1", port: address.port))
///     try await client.send(to: "counter/a", event: "increment")
/// }
/// ```
///
/// Signals are left to the program.
///
/// - Parameters:
///   - definitions: The machines, each under a name of its own.
///   - handlers: What their effects may have work, besides the server's own `http`.
///   - settings: Keys of the configuration with values as in flags
///     (docs/reference/configuration.md). Where nothing is said, the server listens on a free port
///     of this machine, keeps everything in memory, and logs what goes wrong.
///   - isolation: The caller's actor, on which `body` runs.
///   - body: Gets the first address that the server listens on.
/// - Throws: `Server.Failure`, or what `body` throws.
public func withServer<Result>(
    _ definitions: [Definition], handlers: EffectHandlers = EffectHandlers(),
    settings: [String: String] = [:], isolation: isolated (any Actor)? = #isolation,
    _ body: (SocketAddress) async throws -> Result
) async throws -> Result {
    let flags = ["listen": "127.0.0.1:0", "data": ":memory:", "log-level": "warning"]
        .merging(settings) { $1 }
    var configuration: ServerConfiguration
    do throws(ConfigurationError) {
        configuration = try ServerConfiguration.load(ConfigurationSource(flags: flags))
    } catch {
        throw Server.Failure.configuration(error.description)
    }
    for handler in handlers.all { configuration.options.handlers.register(handler) }
    let server = Server(
        options: configuration.options, catalogue: try catalogue(definitions),
        log: configuration.logger)
    try await server.start()
    guard let address = await server.listeningAddress else {
        throw Server.Failure.configuration("the server listens nowhere")
    }
    let result: Result
    do {
        result = try await body(address)
    } catch {
        // What went wrong in the body is the news.
        try? await server.stop()
        throw error
    }
    try await server.stop()
    return result
}

/// The catalogue of these machines.
func catalogue(_ definitions: [Definition]) throws(Server.Failure) -> Catalogue {
    do throws(CatalogueError) {
        return try Catalogue(definitions)
    } catch {
        throw .configuration("the machines can't be hosted: \(error)")
    }
}
