import Diagrams
import Foundation

/// A graph of the corpus, read from a text: `# name` begins one, `*` marks what is initial,
/// braces are around what is inside, and arrows are `->`, `=>` (internal) and `~>` (observed).
struct CorpusChart: CustomStringConvertible {
    let name: String
    let graph: DiagramGraph

    var description: String { name }

    /// All charts of the folder `Corpus`, in the order of their files.
    static func all() throws -> [CorpusChart] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Corpus")
        let files = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }.flatMap { file in
                read(try String(contentsOf: file, encoding: .utf8))
            }
    }

    /// The charts of a text.
    static func read(_ text: String) -> [CorpusChart] {
        var charts: [CorpusChart] = []
        var name = ""
        var graph = DiagramGraph()
        var outer: [String] = []
        func end() {
            if !name.isEmpty { charts.append(CorpusChart(name: name, graph: graph)) }
        }
        for line in text.split(separator: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("# ") {
                end()
                (name, graph, outer) = (String(line.dropFirst(2)), DiagramGraph(), [])
            } else if line == "}" {
                outer.removeLast()
            } else if let edge = edge(line, number: graph.edges.count) {
                graph.edges.append(edge)
            } else if !line.isEmpty {
                let node = node(line, parent: outer.last)
                graph.nodes.append(node)
                if line.hasSuffix("{") { outer.append(node.id) }
            }
        }
        end()
        return charts
    }

    private static func node(_ line: String, parent: String?) -> DiagramGraph.Node {
        var words = line.split(separator: " ").map(String.init)
        let hasInside = words.last == "{"
        if hasInside { words.removeLast() }
        var kind: DiagramGraph.Node.Kind = hasInside ? .compound : .atomic
        if let last = words.last, last.hasPrefix("("), words.count > 1 {
            kind = DiagramGraph.Node.Kind(rawValue: String(last.dropFirst().dropLast())) ?? kind
            words.removeLast()
        }
        let name = words.joined(separator: " ")
        let isInitial = name.hasPrefix("*")
        let id = isInitial ? String(name.dropFirst()) : name
        return DiagramGraph.Node(
            id: id, parent: parent, kind: kind, label: id, isInitial: isInitial)
    }

    private static func edge(_ line: String, number: Int) -> DiagramGraph.Edge? {
        for arrow in [" -> ", " => ", " ~> "] {
            guard let range = line.range(of: arrow) else { continue }
            let rest = line[range.upperBound...]
            let colon = rest.range(of: " : ")
            let label = colon.map { String(rest[$0.upperBound...]) } ?? ""
            let event = label.prefix { $0 != "[" }.trimmingCharacters(in: .whitespaces)
            let bracket = label.drop { $0 != "[" }.dropFirst().dropLast()
            return DiagramGraph.Edge(
                id: "e\(number)", from: String(line[..<range.lowerBound]),
                to: String(rest[..<(colon?.lowerBound ?? rest.endIndex)]), event: event,
                guardText: bracket.isEmpty ? nil : String(bracket), kind: kind(event, arrow))
        }
        return nil
    }

    private static func kind(_ event: String, _ arrow: String) -> DiagramGraph.Edge.Kind {
        if arrow == " => " { return .internal }
        if arrow == " ~> " { return .observed }
        if event.isEmpty { return .always }
        if event.hasPrefix("after ") { return .after }
        if event.hasPrefix("done.") { return .done }
        return event.hasPrefix("error.") ? .error : .external
    }
}
