import ArgumentParser
import GroveClient

struct PrincipalQuota: PrincipalCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "quota",
        abstract: "Set quotas of a principal.",
        discussion: """
            \(Principal.quotaHelp)

            Creates the principal if it is missing. Prints what has changed.

              grove principal quota shop connections=16 events_per_s=standard
            """)

    static var createsFile: Bool { true }

    @Argument(help: .principal) var name: String
    @Argument(help: "The quotas: NAME=VALUE.") var quotas: [QuotaText]
    @OptionGroup var changes: ChangeFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        var change = PrincipalChange(name)
        change.quotas = QuotaText.dictionary(quotas)
        try show(try await place.change(change, changes.mode))
    }
}
