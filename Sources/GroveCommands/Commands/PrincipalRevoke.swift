import ArgumentParser

struct PrincipalRevoke: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a principal with all its tokens.",
        discussion: """
            Once this command is done, connections of the principal are closed: none of them gets \
            or does anything more. A principal that isn't there is no error.

              grove principal revoke shop --dry-run
              grove principal revoke shop
            """)

    @Argument(help: .principal) var name: String
    @OptionGroup var changes: ChangeFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        try show(try await place.revoke(name, changes.mode))
    }
}
