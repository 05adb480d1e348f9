import ArgumentParser
import GroveClient

struct Complete: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer an effect that waits for an answer from outside.",
        discussion: """
            Everybody with the token may answer; only the first answer counts. A result that the \
            machine can't use is refused, and the effect keeps waiting.

              grove effects sign-in/s --phase asking
              grove complete 17-3-e220a8397b1dcdaf6e789e6aa1b965f4 --result '"approved"'
              grove complete 17-3-e220a8397b1dcdaf6e789e6aa1b965f4 --error 'on holiday'
            """)

    @Argument(help: "The effect's token.") var token: String
    @Option(help: ArgumentHelp("The result.", valueName: "json")) var result: JSONText?
    @Option(help: ArgumentHelp("The reason why the effect fails.", valueName: "text"))
    var error: String?
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if (result == nil) == (error == nil) {
            throw ValidationError("Choose one of --result and --error.")
        }
    }

    func run(with client: Client) async throws {
        let reply =
            if let result {
                try await client.complete(token, with: result.value)
            } else {
                try await client.complete(token, failing: error ?? "")
            }
        try show(reply, as: "answered")
    }
}
