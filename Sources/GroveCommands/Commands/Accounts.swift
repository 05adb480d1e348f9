import ArgumentParser

struct Accounts: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Export all accounts as a document, or make the accounts those of one.",
        discussion: """
            The document holds no secrets: a token appears with its id, so the document can name \
            and revoke it, but not make it.

              grove accounts export > accounts.json
              grove accounts apply accounts.json --dry-run
              grove accounts apply accounts.json
            """,
        subcommands: [AccountsExport.self, AccountsApply.self])
}
