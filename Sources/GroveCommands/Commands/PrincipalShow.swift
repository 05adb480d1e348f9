import ArgumentParser
import GroveClient
import GroveWire

struct PrincipalShow: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one principal: identities, grants, quotas and tokens.",
        discussion: """
            Exit code 1 means that there is none of this name.

              grove principal show shop
            """)

    @Argument(help: .principal) var name: String
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        guard let account = try await place.accounts().first(where: { $0.name == name }) else {
            // The code with which a server refuses such a name in other requests.
            throw format.failure(
                .refused, "there is no principal \(name)", name: ErrorCode.badRequest.rawValue)
        }
        if format.json { return try Output.line(account.text) }
        try format.table(rows(of: account), under: [.init("", .faint)], hasHeader: false)
    }

    private func rows(of account: PrincipalSummary) -> [[String]] {
        let quotas = account.quotas.sorted { $0.key < $1.key }
        return [["principal", account.name]]
            + account.identities.map { ["identity", $0] }
            + account.grants.map { ["grant", $0] }
            + quotas.map { ["quota", "\($0.key)=\($0.value)"] }
            + account.tokens.map { token -> [String] in
                let end = token.expires.map { "ends \($0)" } ?? "never ends"
                return ["token", token.id, token.label, end]
            }
    }
}
