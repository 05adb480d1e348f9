import ArgumentParser
import GroveClient
import OrderedJSON

struct Undefine: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove a machine as data.",
        discussion: """
            While the machine has instances, its versions stay for them, and it takes no new ones. \
            'grove define' brings it back. Machines that are compiled into the server can't be \
            removed.

              grove undefine order
            """)

    @Argument(help: "The machine's name.", completion: NameCompletion.machines) var name: String
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let instances = try await client.undefine(name)
        if format.json {
            return try Output.line(
                JSONValue.object(["instances": .integer(instances)]).serialized())
        }
        try Output.line(
            instances == 0
                ? "\(name) removed"
                : "\(name) takes no new instances; \(counted(Int(instances), "instance")) "
                    + "\(instances == 1 ? "goes" : "go") on")
    }
}
