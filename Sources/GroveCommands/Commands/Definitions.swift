import ArgumentParser
import GroveClient

struct Definitions: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the machines that the server hosts.",
        discussion: """
            One line per machine: name, version, hash, and how it is held, if it is suspended or \
            set aside as a whole.

              grove definitions
              grove definitions --counts
            """)

    @Flag(help: "Also count instances, done ones, failed effects and open questions.")
    var counts = false
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let items = try await client.definitions(counts: counts)
        let numbers: [(name: String, of: KeyPath<DefinitionSummary.Counts, Int64>)] =
            counts
            ? [
                ("instances", \.instances), ("done", \.done), ("failed", \.failed),
                ("asking", \.asking),
            ] : []
        let hasHeld = items.contains { $0.held != nil }
        let columns: [Table.Column] =
            [.init("machine", .strong), .init("version"), .init("hash", .faint)]
            + numbers.map { .init($0.name) } + (hasHeld ? [.init("held", .bad)] : [])
        try format.table(of: items, json: \.text, under: columns) { item in
            [item.name, item.version ?? "", item.hash ?? ""]
                + numbers.map { number in item.counts.map { "\($0[keyPath: number.of])" } ?? "" }
                + (hasHeld ? [heldText(item.held)] : [])
        }
    }
}
