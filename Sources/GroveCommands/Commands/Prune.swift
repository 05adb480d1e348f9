import ArgumentParser
import GroveClient

struct Prune: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove the unused versions of a machine as data.",
        discussion: """
            Removes each version that no instance has, but for the present one, and says which \
            former versions stay: 'grove migrate' gives their instances another version. A server \
            reads all instances of the machine for it, in turns with other work.

              grove prune order
              grove prune order --json
            """)

    @Argument(help: "The machine's name.", completion: NameCompletion.machines) var name: String
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let pruned = try await client.prune(name)
        if format.json { return try show(pruned.reply, as: "") }
        if pruned.removed.isEmpty { try Output.line("\(name) has no unused versions") }
        for version in pruned.removed { try Output.line("\(name) \(version) removed") }
        for kept in pruned.kept {
            try Output.line(
                "\(name) \(kept.version) stays: \(counted(Int(kept.instances), "instance"))")
        }
    }
}
