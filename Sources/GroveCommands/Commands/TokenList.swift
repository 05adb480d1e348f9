import ArgumentParser
import GroveClient
import OrderedJSON

struct TokenList: TokenCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List tokens, without their secrets.",
        discussion: """
            One line per token, for each principal the oldest first: id, principal, label, when \
            it was made, when it ends, and the day of its last use: so one sees when nobody needs \
            an old one.

              grove token list
              grove token list --principal shop --json
            """)

    @Option(help: "Only tokens of this principal.") var principal: String?
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    /// A token with the name of its principal.
    private struct Item {
        let principal: String
        let token: TokenSummary

        /// The token as the server sent it, and whose it is.
        var json: [UInt8] {
            var object: JSONObject = ["principal": .string(principal)]
            // The client has parsed it before: it is an object.
            let token = (try? JSONValue(parsing: token.text))?.object ?? JSONObject()
            for member in token { object[member.name] = member.value }
            return JSONValue.object(object).serialized()
        }
    }

    func run(in place: some AccountsPlace) async throws {
        let accounts = try await place.accounts().filter { principal ?? $0.name == $0.name }
        let items = accounts.flatMap { account in
            account.tokens.sorted { ($0.made ?? "", $0.id) < ($1.made ?? "", $1.id) }
                .map { Item(principal: account.name, token: $0) }
        }
        let columns: [Table.Column] = [
            .init("id", .strong), .init("principal"), .init("label"), .init("made", .faint),
            .init("expires"), .init("last used", .faint),
        ]
        try format.table(of: items, json: \.json, under: columns) { item in
            [
                item.token.id, item.principal, item.token.label,
                format.style.clock(item.token.made ?? ""), item.token.expires ?? "never",
                item.token.lastUsed ?? "",
            ]
        }
    }
}
