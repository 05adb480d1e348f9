import ArgumentParser
import GroveClient
import OrderedJSON

struct Retry: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Retry a failed effect, or resume an instance that is set aside.",
        discussion: """
            With a number of 'grove effects': restarts an effect that has failed for good, with a \
            new number and all its attempts, or makes the next attempt of one that waits for it \
            now. --event replaces the event of a timer, a send or a child if the machine has \
            changed and can't read it any more.

            Without a number: resumes an instance that the server has set aside, because its \
            steps had ended the process ('grove list --set-aside').

              grove effects order/o-1 --phase failed
              grove retry order/o-1 4
              grove retry tea/t-1 7 --event '{"type":"remind","times":1}'
              grove retry order/o-2
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Argument(help: "The effect's number.") var run: Int64?
    @Option(
        help: ArgumentHelp(
            "The event that replaces the effect's: a word, or JSON.", valueName: "event"))
    var event: String?
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if let run, run < 1 { throw ValidationError("An effect's number is at least 1.") }
    }

    func run(with client: Client) async throws {
        guard let run else { return try show(try await client.retry(to), as: "\(to) goes on") }
        let value = try event.map { try JSONValue(parsing: try EventText($0).bytes) }
        let reply = try await client.retry(effect: run, of: to, event: value)
        try show(reply, as: "\(to) #\(run) retried")
    }
}
