import ArgumentParser
import GroveClient

struct Describe: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a machine: its states and transitions.",
        discussion: """
            Prints a diagram as text for Mermaid, or with --format dot for Graphviz. It shows the \
            transitions that the machine declares, and those of its newest steps, marked as \
            observed. After the diagram, comments list the events that it accepts, with their \
            values. Of an instance, its own version is drawn, and its active states are lit. With \
            --json prints everything as lists.

              grove describe order
              grove describe order/4711
              grove describe order --format dot | dot -Tsvg > order.svg
            """)

    @Argument(
        help: "The name of the machine, or of an instance.", completion: NameCompletion.machines)
    var name: String
    @Option(name: .customLong("format"), help: "The diagram's language: mermaid or dot.")
    var language = DiagramFormat.mermaid
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let answer = try await client.describe(name, format: language)
        if format.json { return try Output.line(answer.reply.text) }
        var lines = answer.diagram.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        for line in lines { try Output.line(format.style.safe(String(line))) }
        let mark = language == .dot ? "//" : "%%"
        if answer.isPartial { try Output.line("\(mark) and more than fits into one reply") }
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
