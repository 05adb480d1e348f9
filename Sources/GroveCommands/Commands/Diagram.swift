import ArgumentParser
import GroveClient
import OrderedJSON
import Statecharts
import Transducers

struct Diagram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a statechart from its file.",
        discussion: """
            Prints a diagram as text for Mermaid, or with --format dot for Graphviz. It shows \
            compound and parallel states as groups, history states, and all transitions with \
            their guards. No server is needed; 'grove describe' draws the machines of a server.

              grove diagram order.json
              grove diagram order.json --format dot | dot -Tsvg > order.svg
              grove diagram order.json --active shipping

            --active lights states, and those around them. With --json the diagram is a member of \
            an object.

            Exit codes: 0 drawn, 65 the file is no chart, or has no such state, 66 there is no \
            such file.
            """)

    @Argument(help: "A file with a definition in JSON.", completion: .file()) var file: String
    @Option(name: .customLong("format"), help: "The diagram's language: mermaid or dot.")
    var language = DiagramFormat.mermaid
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Active states, by their names or dotted paths.", valueName: "state"))
    var active: [String] = []
    @OptionGroup var format: FormatFlags

    func run() async throws {
        let chart = try ChartFile(file, format).chart
        let (diagram, unknown) = chart.diagram(active: active)
        guard unknown.isEmpty else {
            let names = unknown.joined(separator: ", ")
            Output.note(format.noteStyle.safe("error: \(file) has no state \(names)"))
            throw ExitCode.dataError
        }
        let text = language == .dot ? diagram.dot : diagram.mermaid
        if format.json {
            let object: JSONObject = [
                "format": .string(language.rawValue), "diagram": .string(text),
            ]
            return try Output.line(JSONValue.object(object).serialized())
        }
        try Output.line(format.style.safe(String(text.dropLast())))
    }
}
