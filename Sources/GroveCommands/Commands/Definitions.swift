import ArgumentParser
import GroveClient

struct Definitions: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the machines that the server hosts.",
        discussion: """
            One line per machine: name, version, hash, and how it is held, if it is suspended or \
            set aside as a whole.

              grove definitions
            """)

    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let items = try await client.definitions()
        let hasHeld = items.contains { $0.held != nil }
        let columns: [Table.Column] = [
            .init("machine", .strong), .init("version"), .init("hash", .faint), .init("held", .bad),
        ]
        try format.table(
            of: items, json: \.text, under: hasHeld ? columns : columns.dropLast()
        ) { item in
            [item.name, item.version ?? "", item.hash ?? ""]
                + (hasHeld ? [heldText(item.held)] : [])
        }
    }
}
