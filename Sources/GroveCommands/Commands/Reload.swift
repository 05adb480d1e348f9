import ArgumentParser
import GroveClient

struct Reload: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the server read its configuration, certificates and secrets again.",
        discussion: """
            As SIGHUP does, but the answer is here: the keys whose values have changed, one a \
            line. A configuration that can't be used changes nothing, and the problems are the \
            error (exit code 1).

              grove reload
            """)

    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let answer = try await client.reload()
        if format.json { return try Output.line(answer.reply.text) }
        for key in answer.changed { try Output.line(key) }
        if answer.changed.isEmpty { Output.note("nothing has changed") }
    }
}
