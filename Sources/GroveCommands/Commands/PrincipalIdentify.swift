import ArgumentParser
import GroveClient

struct PrincipalIdentify: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Give identities to a principal.",
        discussion: """
            \(Principal.identityHelp)

            Creates the principal if it is missing. An identity stands for one principal. \
            Prints what has changed.

              grove principal identify ops uid:1000 cert:dns:ops.example.com
            """)

    static var createsFile: Bool { true }

    @Argument(help: .principal) var name: String
    @Argument(help: "The identities.") var identities: [String]
    @OptionGroup var changes: ChangeFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        var change = PrincipalChange(name)
        change.addedIdentities = identities
        try show(try await place.change(change, changes.mode))
    }
}
