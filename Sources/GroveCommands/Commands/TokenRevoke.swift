import ArgumentParser

struct TokenRevoke: TokenCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a token, or all of them.",
        discussion: """
            Once this command is done, connections that have shown the token are closed: none of \
            them gets or does anything more. A token that isn't there is no error.

            A restored backup has tokens that were revoked since it was made. With --all it has \
            none any more; make new ones for those who need them.

              grove token revoke k3v7qzt2
              grove token revoke --all --force --data restored.db
            """)

    @Argument(help: .tokenID) var id: String?
    @Flag(help: "All tokens of all principals.") var all = false
    @Flag(help: "Also if nobody is left who may administer the server, but its owner.")
    var force = false
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        guard (id == nil) == all else {
            throw ValidationError("Name the token's id, or say --all.")
        }
    }

    func run(in place: some AccountsPlace) async throws {
        try show(try await place.revokeToken(id, force: force))
    }
}
