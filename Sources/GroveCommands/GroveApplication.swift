@_exported public import ArgumentParser
public import Transducers

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A program that hosts machines of its own and is the whole command-line tool for them.
///
/// ```swift
/// import Grove
///
/// @main struct Shop: GroveApplication {
///     static let definitions = [Definition(Cart.self, named: "cart", version: "1.0.0")]
/// }
/// ```
///
/// Then `shop serve` is the server, and `shop send`, `shop watch` and all the others talk to it,
/// as those of `grove` do (docs/hosting.md). Everything besides ``definitions`` has a default.
public protocol GroveApplication: SendableMetatype {
    /// The machines it hosts, each under a name of its own.
    static var definitions: [Definition] { get }

    /// The command's name; by default that of the type in lower case, words joined by hyphens.
    static var commandName: String { get }

    /// What it is, in a sentence, for `--help`.
    static var abstract: String { get }

    /// Its version, printed by `version` before that of Grove; empty for none.
    static var version: String { get }

    /// Subcommands besides those of every application. One of the same name as one of those
    /// takes its place.
    static var subcommands: [any AsyncParsableCommand.Type] { get }

    /// What effects of its machines may have work, besides the server's own `http`. Called once,
    /// by `serve`, before anything is opened.
    ///
    /// - Throws: Whatever keeps the handlers from working; the server doesn't start then.
    static func handlers() async throws -> EffectHandlers

    /// What holds for keys of the configuration where nothing else is said, by their names, with
    /// values as in flags: `["data": "shop.db"]`.
    static var defaults: [String: String] { get }
}

extension GroveApplication {
    /// The type's name in lower case, words joined by hyphens: `shop-floor` for `ShopFloor`.
    public static var commandName: String { ProgramName.hyphenated(String(describing: Self.self)) }

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

    /// None: what Grove's own defaults are.
    public static var defaults: [String: String] { [:] }

    /// Runs the command that the process was started with, and ends the process when it failed.
    public static func main() async {
        // Writing to a pipe whose reader is gone is an error of `write` here, not a signal.
        signal(SIGPIPE, SIG_IGN)
        await ProgramName.$current.withValue(commandName) { await RootCommand<Self>.runProcess() }
    }
}
