import ArgumentParser
import GroveClient

struct Delete: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove an instance with its history, permanently.",
        discussion: """
            Removes its dedup keys too. One record of the deletion stays.

              grove delete counter/a
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        try show(try await client.delete(to), as: "\(to) deleted")
    }
}
