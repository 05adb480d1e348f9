import ArgumentParser
import GroveClient

struct PrincipalList: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List all principals.",
        discussion: """
            One line per principal: name, number of tokens, identities and grants.

              grove principal list
              grove principal list --data grove.db
            """)

    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        let columns: [Table.Column] = [
            .init("principal", .strong), .init("tokens"), .init("identities"), .init("grants"),
        ]
        try format.table(of: try await place.accounts(), json: \.text, under: columns) { account in
            [
                account.name, "\(account.tokens.count)",
                account.identities.joined(separator: ", "),
                account.grants.joined(separator: ", "),
            ]
        }
    }
}
