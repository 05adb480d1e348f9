@_exported public import GroveCommands
import GroveEngine
@_exported public import GroveServer
@_exported public import OrderedJSON
@_exported public import TransducerRoutes
@_exported public import Transducers

/// Hosts Swift machines of one's own: what the `grove` executable does for the built-in ones.
///
/// ```swift
/// import Grove
///
/// @main struct Host {
///     static func main() async throws {
///         try await serve([Definition(Counter.self, named: "counter", version: "1.0.0")])
///     }
/// }
/// ```
///
/// Returns after a graceful stop, which the first SIGTERM or SIGINT begins.
///
/// - Parameters:
///   - definitions: The machines, each under a name of its own.
///   - handlers: What their effects may have work, besides the server's own `http` and those of
///     the configuration.
///   - configuration: What to serve with; `nil` for what the environment says
///     (docs/reference/configuration.md), which SIGHUP has read again.
/// - Throws: `Server.Failure`; end the process with its `exitCode`.
public func serve(
    _ definitions: [Definition], handlers: EffectHandlers = EffectHandlers(),
    configuration: ServerConfiguration? = nil
) async throws(Server.Failure) {
    let catalogue = try catalogue(definitions)
    let source = configuration == nil ? Server.environmentSource : nil
    var chosen: ServerConfiguration
    do throws(ConfigurationError) {
        if let configuration {
            chosen = configuration
        } else {
            chosen = try ServerConfiguration.load(Server.environmentSource)
        }
    } catch {
        throw .configuration(error.description)
    }
    for handler in handlers.all { chosen.options.handlers.register(handler) }
    let server = Server(options: chosen.options, catalogue: catalogue, log: chosen.logger)
    try await server.run(chosen, from: source)
}
