import ArgumentParser
import GroveClient

struct PrincipalUnidentify: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "unidentify",
        abstract: "Take identities from a principal.",
        discussion: """
            \(Principal.identityHelp)

            What isn't there isn't taken. Prints what has changed.

              grove principal unidentify ops uid:1000
            """)

    static var createsFile: Bool { true }

    @Argument(help: .principal) var name: String
    @Argument(help: "The identities.") var identities: [String]
    @OptionGroup var changes: ChangeFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        var change = PrincipalChange(name)
        change.removedIdentities = identities
        try show(try await place.change(change, changes.mode))
    }
}
