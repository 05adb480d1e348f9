@_exported public import ArgumentParser
import Dispatch
import Glibc
public import Transducers

/// A program that hosts its own machines, with all commands of `grove` for them.
///
/// ```swift
/// import Grove
///
/// @main struct Shop: GroveApplication {
///     static let definitions = [Definition(Cart.self, named: "cart", version: "1.0.0")]
/// }
/// ```
///
/// Then `shop serve` is the server, and `shop send`, `shop watch` and the other commands talk to
/// it, like those of `grove` (docs/hosting.md). Everything besides ``definitions`` has a default.
public protocol GroveApplication: SendableMetatype {
    /// The machines that it hosts, each under its own name.
    static var definitions: [Definition] { get }

    /// Machines to try the server with. They are hosted only without a folder of machines as data,
    /// and give way to definitions of the same names in the data file.
    static var examples: [Definition] { get }

    /// The command's name; by default the type's name in lower case, with hyphens between words.
    static var commandName: String { get }

    /// A sentence about it, for `--help`.
    static var abstract: String { get }

    /// Its version, which `version` prints before Grove's; empty for none.
    static var version: String { get }

    /// Subcommands besides those of every application. One of the same name replaces it.
    static var subcommands: [any AsyncParsableCommand.Type] { get }

    /// Handlers that effects may call, besides the server's own `http`. Called once, by `serve`,
    /// before anything is opened.
    ///
    /// - Throws: An error that prevents the start of the server.
    static func handlers() async throws -> EffectHandlers

    /// Default configuration values by their keys' names, in the form of flags:
    /// `["data": "shop.db"]`.
    static var defaults: [String: String] { get }
}

extension GroveApplication {
    /// The type's name in lower case, with hyphens between words: `shop-floor` for `ShopFloor`.
    public static var commandName: String { ProgramName.hyphenated(String(describing: Self.self)) }

    /// None.
    public static var examples: [Definition] { [] }

    /// A sentence that fits every application.
    public static var abstract: String {
        "Durable state machines over the network: the server, and a client for it."
    }

    /// None.
    public static var version: String { "" }

    /// None.
    public static var subcommands: [any AsyncParsableCommand.Type] { [] }

    /// None.
    public static func handlers() async throws -> EffectHandlers { EffectHandlers() }

    /// None: Grove's own defaults.
    public static var defaults: [String: String] { [:] }

    /// Runs the command that the process was started with, and ends the process after it.
    ///
    /// Not `async`: before the first line of such a function, the runtime opens files for itself,
    /// which would get the numbers of closed outputs.
    public static func main() {
        Output.holdNumbers()
        // Then writing to a pipe without a reader is an error of `write`, not a signal.
        signal(SIGPIPE, SIG_IGN)
        if let shortage = ProcessLimits.shortage() {
            Output.note("error: \(shortage)")
            exit(EX_CONFIG)
        }
        Task {
            await ProgramName.$current.withValue(commandName) {
                await RootCommand<Self>.runProcess()
            }
            exit(EXIT_SUCCESS)
        }
        dispatchMain()
    }
}
