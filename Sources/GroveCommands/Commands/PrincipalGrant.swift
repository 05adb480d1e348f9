import ArgumentParser
import GroveClient

struct PrincipalGrant: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Give grants to a principal.",
        discussion: """
            \(Principal.grantHelp)

            Creates the principal if it is missing. A repeat changes nothing. Prints what has \
            changed.

              grove principal grant shop 'send(place,pay) order/*' 'read order/*'
            """)

    static var createsFile: Bool { true }

    @Argument(help: .principal) var name: String
    @Argument(help: "The grants.") var grants: [String]
    @OptionGroup var changes: ChangeFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        var change = PrincipalChange(name)
        change.addedGrants = grants
        try show(try await place.change(change, changes.mode))
    }
}
