import ArgumentParser
import GroveClient
import OrderedJSON

/// `grove get`
struct Get: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show an instance: its state, version, timers and effects.",
        discussion: """
            Prints one field, timer or effect a line, or everything in one line with --json. \
            'grove effects' shows what else there is to know of effects.

              grove get counter/a
              grove get order/o-1 --at 3 --json
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Option(help: "Show it as it was at this version; 0 is the state it was created in.")
    var at: Int64?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        try show(try await client.get(to, at: at))
    }
}

extension ClientCommand {
    /// Writes an instance: its fields as one line of JSON, or one field, timer or effect a line.
    func show(_ instance: InstanceReply) throws {
        try show(instance.reply, without: ["timers", "effects"])
        guard !format.json else { return }
        let rows =
            instance.timers.map { ["timer"] + EffectLine.columns($0, format.style) }
            + instance.effects.map { ["effect"] + EffectLine.columns($0, format.style) }
        try format.table(
            rows, under: [.init("", .faint)] + EffectLine.header, hasHeader: false)
    }
}

/// `grove create`
struct Create: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create an instance in its initial state.",
        discussion: """
            An instance is also created by the first event sent to it; create is for starting one \
            without an event, or only if it isn't there yet (else the error is ALREADY_EXISTS).

              grove create counter/a
              grove create order/o-1 --dedup k-17
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Option(
        help: ArgumentHelp(
            "What the machine starts with; no built-in machine takes one.", valueName: "json"))
    var input: String?
    @Option(help: ArgumentHelp("A key that makes a repeat harmless.", valueName: "key"))
    var dedup: String?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        var value: JSONValue?
        if let input {
            do throws(JSONError) {
                value = try JSONValue(parsing: Array(input.utf8))
            } catch {
                throw ValidationError("The input is no valid JSON: \(error)")
            }
        }
        try show(try await client.create(to, input: value, dedup: dedup).reply)
    }
}

/// `grove stop`
struct Stop: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "End an instance: it becomes done and its effects are cancelled.",
        discussion: """
            State and history stay. A second stop is INSTANCE_DONE.

              grove stop order/o-1 --reason 'customer left'
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Option(help: "Why; it is kept with the instance.") var reason: String?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        let reply = try await client.stop(to, reason: reason)
        if format.json { try Output.line(reply.text) } else { try Output.line("\(to) stopped") }
    }
}

/// `grove delete`
struct Delete: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove an instance with its history, for good.",
        discussion: """
            Its dedup keys are forgotten too; one record that it was deleted stays.

              grove delete counter/a
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        let reply = try await client.delete(to)
        if format.json { try Output.line(reply.text) } else { try Output.line("\(to) deleted") }
    }
}
