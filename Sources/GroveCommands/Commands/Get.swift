import ArgumentParser
import GroveClient

struct Get: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show an instance: its state, version, timers and effects.",
        discussion: """
            Prints one field, timer or effect per line, or everything in one line with --json. \
            'grove effects' shows more about effects.

              grove get counter/a
              grove get order/o-1 --at 3 --json
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Option(help: "Show it as it was at this version; 0 is the initial state.") var at: Int64?
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        try show(try await client.get(to, at: at))
    }
}
