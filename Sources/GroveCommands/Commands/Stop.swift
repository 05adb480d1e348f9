import ArgumentParser
import GroveClient

struct Stop: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "End an instance: it becomes done and its effects are cancelled.",
        discussion: """
            State and history stay. A second stop fails with INSTANCE_DONE.

              grove stop order/o-1 --reason 'customer left'
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Option(help: "The reason; it is kept with the instance.") var reason: String?
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        try show(try await client.stop(to, reason: reason), as: "\(to) stopped")
    }
}
