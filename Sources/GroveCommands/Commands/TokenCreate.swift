import ArgumentParser
import GroveClient

struct TokenCreate: TokenCommandLine {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a token of a principal, and print it once.",
        discussion: """
            Writes the token alone to standard output; its id and end go to standard error. With \
            --grant the principal is created if it is missing, and gets the grants too.

            \(Principal.grantHelp)

            With --data it makes the first token of a server that hasn't started yet, and the \
            data file too, if that is missing.

              umask 077; grove token create --principal shop --label web \
            --grant 'send(place,pay) order/*' > shop.token
              grove token create --data grove.db --principal ops --grant 'admin */*'
            """)

    static var createsFile: Bool { true }

    @Option(help: .principal) var principal: String
    @Option(help: "What the token is for, in words.") var label: String?
    @Option(help: .grants) var grant: [String] = []
    @Option(help: .expires) var expires: TokenEndText?
    @Flag(help: "Also if nobody may administer the server then, but its owner.") var force = false
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        let order = TokenOrder(
            principal: principal, label: label,
            expires: expires?.expiry(now: HumanTime.now) ?? .standard, grants: grant, force: force)
        try show(try await place.createToken(order))
    }
}
