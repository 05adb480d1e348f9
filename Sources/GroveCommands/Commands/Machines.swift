import ArgumentParser
import GroveClient
import OrderedJSON

extension DiagramFormat: ExpressibleByArgument {}

/// `grove can`
struct Can: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether an instance would take an event; nothing changes.",
        discussion: """
            Prints 'yes' and the state the event would lead to, or 'no', why, and what would do. \
            An instance that doesn't exist answers as it would begin. The exit code is 0 for yes \
            and 1 for no.

              grove can turnstile/gate PUSH
              grove can order/o-1 '{"type":"pay","amount":30}' && echo go
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Argument(help: "The event: a word, or JSON.", completion: NameCompletion.events)
    var event: String
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        let request = Request.can(to, event: try EventText(event).bytes)
        let answer = try CanReply(try await client.request(request))
        if format.json {
            try Output.line(answer.reply.text)
        } else if answer.isPossible {
            try Output.line(format.style.safe("yes  state \(answer.state ?? .null)"))
        } else {
            var words = ["no"]
            if let reason = answer.reason { words.append(reason) }
            if !answer.accepts.isEmpty {
                words.append("accepts \(answer.accepts.joined(separator: ", "))")
            }
            try Output.line(format.style.safe(words.joined(separator: "  ")))
        }
        if !answer.isPossible { throw ExitCode(1) }
    }
}

/// `grove describe`
struct Describe: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a machine: its states, and which event leads where.",
        discussion: """
            Prints a diagram as text for Mermaid, or with --format dot for Graphviz. A machine is \
            drawn as far as it says what it can do, or its newest steps show it; these arrows are \
            marked as observed. Behind it, as comments of the drawing, stand the events that it \
            takes, with their values. With --json all of it as lists.

              grove describe order
              grove describe order --format dot | dot -Tsvg > order.svg
            """)

    @Argument(help: "The machine's name.", completion: NameCompletion.machines) var name: String
    @Option(name: .customLong("format"), help: "How it is written: mermaid or dot.")
    var language = DiagramFormat.mermaid
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        let answer = try await client.describe(name, format: language)
        if format.json { return try Output.line(answer.reply.text) }
        var lines = answer.diagram.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines { try Output.line(format.style.safe(String(line))) }
        let mark = language == .dot ? "//" : "%%"
        if !answer.takes.isEmpty { try Output.line("\(mark) events:") }
        for event in answer.takes {
            try Output.line(format.style.safe("\(mark)   \(event.line)"))
        }
    }
}

extension DescribeReply.TakenEvent {
    /// The event in one line: `add  amount: an integer`.
    fileprivate var line: String {
        var words = [name]
        words += members.map { member in
            let name = member.isOptional ? member.name + "?" : member.name
            return member.expected.map { "\(name): \($0)" } ?? name
        }
        if isInternal { words.append("(only the machine itself sends it)") }
        return words.joined(separator: "  ")
    }
}
