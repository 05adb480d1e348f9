import Testing

@testable import Diagrams

@Suite("Drawings as SVG")
struct DiagramSVGTests {
    private func text(_ graph: DiagramGraph, lit: Set<String> = []) throws -> String {
        let diagram = try DiagramLayout.lay(graph)
        let bytes = DiagramSVG.write(diagram, title: "a < b & \"c\"", lit: lit, litEdges: ["e0"])
        return try #require(String(validating: bytes, as: UTF8.self))
    }

    @Test(arguments: DiagramLayoutTests.charts + GraphShapes.all)
    func `every drawing is well-formed`(chart: CorpusChart) throws {
        let text = try text(chart.graph)
        #expect(XMLCheck.problem(in: text) == nil)
        #expect(text.hasSuffix("</svg>\n"))
    }

    @Test func `every text is escaped`() throws {
        let hostile = "</text><script>alert('x')</script>&\u{0}\u{FFFE}]]>\u{202E}\n\"\u{1B}"
        let graph = DiagramGraph(
            nodes: [
                DiagramGraph.Node(id: hostile, kind: .compound, label: hostile),
                DiagramGraph.Node(id: "b", parent: hostile, label: hostile, isInitial: true),
            ],
            edges: [
                DiagramGraph.Edge(
                    id: hostile, from: hostile, to: "b", event: hostile, guardText: hostile)
            ])
        let text = try text(graph)
        #expect(XMLCheck.problem(in: text) == nil)
        #expect(!text.contains("<script"))
        #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" })
        #expect(text.contains("<title>a &lt; b &amp; &quot;c&quot;</title>"))
        #expect(text.contains("data-node=\"&lt;/text&gt;&lt;script&gt;"))
    }

    /// The texts of a drawing of two states, beside the drawing.
    private func texts(
        _ edges: [DiagramGraph.Edge], label: String = "b"
    ) throws -> (texts: [String], drawing: String) {
        let nodes = [
            DiagramGraph.Node(id: "a", label: "a"), DiagramGraph.Node(id: "b", label: label),
            DiagramGraph.Node(id: "c", label: "c"),
        ]
        let drawing = try text(DiagramGraph(nodes: nodes, edges: edges))
        let texts = drawing.matches(of: /<text[^>]*>([^<]*)<\/text>/).map { String($0.1) }
        return (texts, drawing)
    }

    @Test func `an alternative without a guard says else`() throws {
        let edges = [
            DiagramGraph.Edge(id: "0", from: "a", to: "c", event: "FIRST"),
            DiagramGraph.Edge(id: "1", from: "a", to: "b", event: "GO", guardText: "n > 0"),
            DiagramGraph.Edge(id: "2", from: "a", to: "c", event: "GO"),
            DiagramGraph.Edge(id: "3", from: "b", to: "c", event: "GO"),
            DiagramGraph.Edge(id: "6", from: "c", to: "b", event: "X", guardText: "n = 1"),
            DiagramGraph.Edge(id: "7", from: "c", to: "c", event: "X", kind: .internal),
            DiagramGraph.Edge(id: "4", from: "c", to: "a", guardText: "n < 0", kind: .always),
            DiagramGraph.Edge(id: "5", from: "c", to: "b", kind: .always),
        ]
        let texts = try texts(edges).texts
        #expect(
            texts.sorted()
                == [
                    "FIRST", "GO", "GO [else]", "GO [n &gt; 0]", "X [else]", "X [n = 1]", "[else]",
                    "[n &lt; 0]", "a", "b", "c",
                ])
    }

    @Test func `a long guard is cut within its brackets, and whole in the tooltip`() throws {
        let condition = Array(repeating: "context.paid", count: 9).joined(separator: " + ")
        let edge = DiagramGraph.Edge(
            id: "0", from: "a", to: "b", event: "PAY", guardText: condition)
        let (texts, drawing) = try texts([edge])
        let cut = try #require(texts.first { $0.hasPrefix("PAY") })
        #expect(cut.hasPrefix("PAY [context.paid + ") && cut.hasSuffix("…]"))
        #expect(TextCells.count(cut) == DiagramLimits.textCellsMax)
        #expect(drawing.contains("<title>PAY [\(condition)]</title>"))
    }

    @Test func `a name of blanks is shown in quotes`() throws {
        #expect(try texts([], label: "  ").texts.contains("&quot;  &quot;"))
    }

    @Test func `texts of other scripts are fitted into their boxes`() throws {
        let drawing = try texts([], label: "สวัสดี").drawing
        let cells = Double(TextCells.count("สวัสดี")) * DiagramMetrics.cellWidth * 13
        let attributes = " textLength=\"\(cells)\" lengthAdjust=\"spacingAndGlyphs\""
        #expect(drawing.contains(attributes + ">สวัสดี<"))
        #expect(try !texts([]).drawing.contains("textLength"))
    }

    @Test func `nodes, paths and labels can be found and lit`() throws {
        let graph = DiagramGraph(
            nodes: [
                DiagramGraph.Node(id: "a", label: "a", isInitial: true),
                DiagramGraph.Node(id: "b", kind: .final, label: "b"),
            ],
            edges: [
                DiagramGraph.Edge(id: "e0", from: "a", to: "b", event: "after 5s", kind: .after),
                DiagramGraph.Edge(id: "e1", from: "a", to: "b", event: "GO", guardText: "n > 0"),
                DiagramGraph.Edge(id: "e2", from: "b", to: "a", event: "BACK", kind: .observed),
            ])
        let text = try text(graph, lit: ["b"])
        #expect(text.contains("<g class=\"node atomic\" data-node=\"a\">"))
        #expect(text.contains("<g class=\"node final lit\" data-node=\"b\">"))
        #expect(text.contains("<g class=\"edge after lit\" data-edge=\"e0 e1\""))
        #expect(text.contains("<g data-edge=\"e1\"><title>GO [n &gt; 0]</title>"))
        #expect(text.contains("class=\"clock\""))
        #expect(text.contains("stroke-dasharray"))
        #expect(text.contains("data-initial=\"a\""))
        #expect(text.contains("class=\"inner\""))
    }

    @Test func `styles are for light and dark pages, and can be left out`() throws {
        let diagram = try DiagramLayout.lay(DiagramGraph())
        let bare = DiagramSVG.write(diagram, title: "", hasStyles: false)
        #expect(!String(decoding: bare, as: UTF8.self).contains("<style>"))
        let sheet = DiagramStyle.sheet.description
        #expect(sheet.contains("prefers-color-scheme:dark"))
        #expect(
            String(decoding: DiagramSVG.write(diagram, title: ""), as: UTF8.self).contains(sheet))
    }

    @Test(arguments: [
        (0, "0"), (1, "1"), (-1, "-1"), (0.5, "0.5"), (12.25, "12.25"), (-0.125, "-0.13"),
        (3.004, "3"), (7.05, "7.05"), (99.999, "100"),
    ])
    func `numbers have at most two decimals`(number: Double, text: String) {
        var svg = SVGText()
        svg.append(number: number)
        #expect(String(decoding: svg.bytes, as: UTF8.self) == text)
    }
}
