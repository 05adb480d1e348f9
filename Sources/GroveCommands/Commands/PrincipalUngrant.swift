import ArgumentParser
import GroveClient

struct PrincipalUngrant: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "ungrant",
        abstract: "Take grants from a principal.",
        discussion: """
            \(Principal.grantHelp)

            A grant is named by its whole text, as 'grove principal show' writes it. What isn't \
            there isn't taken. Subscriptions are narrowed and requests refused from the answer on.

              grove principal ungrant shop 'read order/*'
            """)

    static var createsFile: Bool { true }

    @Argument(help: .principal) var name: String
    @Argument(help: "The grants.") var grants: [String]
    @OptionGroup var changes: ChangeFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        var change = PrincipalChange(name)
        change.removedGrants = grants
        try show(try await place.change(change, changes.mode))
    }
}
