import ArgumentParser
import GroveClient

struct PrincipalCreate: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a principal.",
        discussion: """
            \(Principal.grantHelp)

            \(Principal.identityHelp)

            \(Principal.quotaHelp)

            Refused with ALREADY_EXISTS if there is one of this name. Prints what has changed.

              grove principal create shop --grant 'send(place,pay) order/*' \
            --grant 'read,subscribe order/*'
              grove principal create ops --identity uid:1000 --grant 'admin */*'
              grove principal create bulk --quota events_per_s=100 --quota connections=4
            """)

    static var createsFile: Bool { true }

    @Argument(help: .principal) var name: String
    @Option(
        help: ArgumentHelp("An identity; may be given again.", valueName: "identity"))
    var identity: [String] = []
    @Option(help: .grants) var grant: [String] = []
    @Option(help: ArgumentHelp("A quota; may be given again.", valueName: "name=value"))
    var quota: [QuotaText] = []
    @OptionGroup var changes: ChangeFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        var change = PrincipalChange(name)
        change.isNew = true
        change.addedIdentities = identity
        change.addedGrants = grant
        change.quotas = QuotaText.dictionary(quota)
        try show(try await place.change(change, changes.mode))
    }
}
