import ArgumentParser
import Diagrams
import Foundation
import GroveClient
import OrderedJSON
import Statecharts
import Transducers

struct Diagram: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Draw a machine: a statechart's file, or a machine or an instance of a server.",
        discussion: """
            Prints a diagram as text for Mermaid, with --format dot for Graphviz, or with \
            --format svg as an image, which browsers show and editors of images turn into PNG. \
            It shows compound and parallel states as groups, history states, and all transitions \
            with their guards. A file needs no server.

              grove diagram order.json
              grove diagram order.json --format svg > order.svg
              grove diagram order.json --format dot | dot -Tpng > order.png
              grove diagram order.json --active shipping
              grove diagram order
              grove diagram order/4711

            What is no file, and doesn't end in .json, is the name of a machine or of an instance. \
            An instance's active states are lit, and its own version is drawn. --active lights \
            states of a file, and those around them. With --json the diagram is a member of an \
            object.

            Exit codes: 0 drawn, 1 there is no such machine or instance, or it is too large for an \
            image, 65 the file is no chart, has no such state, or is too large for an image, 66 \
            there is no such file.
            """)

    @Argument(
        help: ArgumentHelp(
            "A file with a definition in JSON, or the name of a machine or an instance.",
            valueName: "file-or-name"), completion: .file())
    var subject: String
    @Option(name: .customLong("format"), help: "The form of the diagram: mermaid, dot or svg.")
    var form = DrawingFormat.mermaid
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Active states of a file, by their names or dotted paths.", valueName: "state"))
    var active: [String] = []
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if !isFile, !active.isEmpty {
            throw ValidationError(
                "--active needs a file. Of \(subject), the server says which states are active.")
        }
    }

    func run() async throws {
        guard isFile else { return try await connectAndRun() }
        let chart = try ChartFile(subject, format).chart
        let (diagram, unknown) = chart.diagram(active: active)
        guard unknown.isEmpty else {
            let names = unknown.joined(separator: ", ")
            throw format.failure(.dataError, "\(subject) has no state \(names)")
        }
        switch form {
        case .mermaid: try show(diagram.mermaid)
        case .dot: try show(diagram.dot)
        case .svg:
            let title = (subject as NSString).lastPathComponent
            try draw(
                DiagramGraph(diagram), title: title, active: DiagramGraph.active(in: diagram),
                failure: .dataError)
        }
    }

    func run(with client: Client) async throws {
        let answer = try await client.describe(subject, format: form.language)
        if form == .svg {
            let graph = answer.reply.value("graph")?.object ?? JSONObject()
            try draw(
                DiagramGraph(describing: graph), title: subject,
                active: DiagramGraph.active(describing: graph), failure: .failure)
        } else {
            try show(answer.diagram)
        }
        if answer.isPartial {
            let note = "\(subject) is too large for one reply: this is its beginning"
            Output.note(format.noteStyle.safe(note))
        }
    }

    /// Whether the argument is a path: names of machines and instances aren't those of files.
    private var isFile: Bool {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: subject, isDirectory: &isFolder)
        return subject.hasSuffix(".json") || exists && !isFolder.boolValue
    }

    private func draw(
        _ graph: DiagramGraph, title: String, active: Set<String>, failure: ExitCode
    ) throws {
        guard !graph.nodes.isEmpty else {
            throw format.failure(
                failure, "no state of \(subject) is known", name: "DATA_ERROR")
        }
        let diagram: Diagrams.Diagram
        do throws(DiagramRefusal) {
            diagram = try DiagramLayout.lay(graph)
        } catch {
            throw format.failure(
                failure, "\(subject) can't be drawn: \(error)", name: "DATA_ERROR")
        }
        let svg = DiagramSVG.write(diagram, title: title, lit: active)
        try show(String(decoding: svg, as: UTF8.self))
    }

    private func show(_ diagram: String) throws {
        if format.json {
            let object: JSONObject = [
                "format": .string(form.rawValue), "diagram": .string(diagram),
            ]
            return try Output.line(JSONValue.object(object).serialized())
        }
        try Output.line(format.style.safe(String(diagram.dropLast())))
    }
}
