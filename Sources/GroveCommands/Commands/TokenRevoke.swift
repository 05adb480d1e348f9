import ArgumentParser

struct TokenRevoke: TokenCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a token.",
        discussion: """
            Once this command is done, connections that have shown the token are closed: none of \
            them gets or does anything more. A token that isn't there is no error.

              grove token revoke k3v7qzt2
            """)

    @Argument(help: .tokenID) var id: String
    @Flag(help: "Also if nobody is left who may administer the server, but its owner.")
    var force = false
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        try show(try await place.revokeToken(id, force: force))
    }
}
