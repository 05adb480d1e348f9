import ArgumentParser
import GroveClient

/// `grove suspend`
struct Suspend: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let an instance, or all of a machine, take no events for a while.",
        discussion: """
            Events are refused with SUSPENDED, and clients that repeat wait. Effects and timers \
            sleep; what is due meanwhile comes when 'grove resume' lets it go. It lasts over a \
            restart.

              grove suspend order/o-1 --reason 'double charge, see ticket 812'
              grove suspend order
              grove list --suspended
            """)

    @Argument(
        help: "The instance, MACHINE/INSTANCE, or a whole MACHINE.",
        completion: NameCompletion.instances)
    var to: String
    @Option(help: "Why; it is kept with the instance.") var reason: String?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        let reply = try await client.suspend(HoldSubject(argument: to), reason: reason)
        if format.json { return try Output.line(reply.text) }
        let hasChanged = reply.bool("changed") ?? true
        try Output.line(hasChanged ? "\(to) suspended" : "\(to) was suspended already")
    }
}

/// `grove resume`
struct Resume: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let go on what was suspended, or set aside.",
        discussion: """
            An instance of a machine that is suspended as a whole goes on with its machine.

              grove resume order/o-1
              grove resume order
            """)

    @Argument(
        help: "The instance, MACHINE/INSTANCE, or a whole MACHINE.",
        completion: NameCompletion.instances)
    var to: String
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        let reply = try await client.resume(HoldSubject(argument: to))
        if format.json { return try Output.line(reply.text) }
        let hasChanged = reply.bool("changed") ?? true
        try Output.line(hasChanged ? "\(to) resumed" : "\(to) was not suspended")
    }
}

extension HoldSubject {
    /// With a slash an instance, else a machine.
    init(argument: String) {
        self = argument.utf8.contains(UInt8(ascii: "/")) ? .instance(argument) : .machine(argument)
    }
}

/// How the tool says that something is held.
enum HeldWord {
    /// The server's word as people read it; empty for what isn't held.
    static func text(_ held: String?) -> String {
        held == "set_aside" ? "set aside" : held ?? ""
    }
}
