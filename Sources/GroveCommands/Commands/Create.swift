import ArgumentParser
import GroveClient

struct Create: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create an instance in its initial state.",
        discussion: """
            The first event sent to an instance also creates it. Use create to start one without \
            an event, or only if it doesn't exist yet (otherwise the error is ALREADY_EXISTS).

              grove create counter/a
              grove create order/o-1 --dedup k-17
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Option(
        help: ArgumentHelp(
            "Members of the context of a statechart; no other machine takes an input.",
            valueName: "json"))
    var input: JSONText?
    @Option(help: ArgumentHelp("A key that makes a repeat harmless.", valueName: "key"))
    var dedup: String?
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        try show(try await client.create(to, input: input?.value, dedup: dedup).reply)
    }
}
