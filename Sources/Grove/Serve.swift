@_exported public import GroveCommands
@_exported public import GroveNetwork
@_exported public import GroveServer
@_exported public import OrderedJSON
@_exported public import TransducerRoutes
@_exported public import Transducers

/// Serves your machines as the program `grove` serves the built-in ones.
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
/// Returns after a graceful stop. The first SIGTERM or SIGINT starts it.
///
/// - Parameters:
///   - definitions: The machines. Their names differ.
///   - handlers: Handlers that effects may call, besides the server's own `http` and those of the
///     configuration.
///   - configuration: The server's settings. With `nil` they are read from the environment
///     (docs/reference/configuration.md), and again on SIGHUP.
/// - Throws: `Server.Failure`; end the process with its `exitCode`.
public func serve(
    _ definitions: [Definition], handlers: EffectHandlers = EffectHandlers(),
    configuration: ServerConfiguration? = nil
) async throws(Server.Failure) {
    let source = configuration == nil ? Server.environmentSource : nil
    let chosen: ServerConfiguration
    do throws(ConfigurationError) {
        if let configuration {
            chosen = configuration
        } else {
            chosen = try ServerConfiguration.load(Server.environmentSource)
        }
    } catch {
        throw .configuration(error.description)
    }
    try await Server(chosen, hosting: definitions, handlers: handlers).run(chosen, from: source)
}
