import ArgumentParser
import GroveClient
import OrderedJSON

/// `grove create`
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
            "The machine's input; no built-in machine accepts one.", valueName: "json"))
    var input: String?
    @Option(help: ArgumentHelp("A key that makes a repeat harmless.", valueName: "key"))
    var dedup: String?
    @OptionGroup var connection: ConnectionFlags

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
