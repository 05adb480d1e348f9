import ArgumentParser
import GroveClient
import OrderedJSON

struct Can: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether an instance would accept an event; nothing changes.",
        discussion: """
            Prints 'yes' and the state that the event would lead to, or 'no', the reason, and the \
            events that it accepts. An instance that doesn't exist answers as if it were new. The \
            exit code is 0 for yes and 1 for no.

              grove can turnstile/gate PUSH
              grove can order/o-1 '{"type":"pay","amount":30}' && echo go
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Argument(help: "The event: a word, or JSON.", completion: NameCompletion.events)
    var event: String
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let request = Request.can(to, event: try EventText(event).bytes)
        let answer = try CanReply(try await client.request(request))
        var words = ["yes", "state \(answer.state ?? .null)"]
        if !answer.isPossible {
            words = ["no"] + (answer.reason.map { [$0] } ?? [])
            if !answer.accepts.isEmpty {
                words.append("accepts \(answer.accepts.joined(separator: ", "))")
            }
        }
        try show(answer.reply, as: format.style.safe(words.joined(separator: "  ")))
        if !answer.isPossible { throw ExitCode.refused }
    }
}
