import CEL
import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

@testable import Statecharts

/// The page of the format: its examples, and that it names every word.
struct StatechartsPageTests {
    private let page: String
    /// The pages about charts, besides that of the format.
    private let others: [(name: String, text: String)]

    init() throws {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        page = try String(
            contentsOf: folder.appendingPathComponent("docs/reference/statecharts.md"),
            encoding: .utf8)
        let guides = folder.appendingPathComponent("docs/statecharts")
        others = try FileManager.default.contentsOfDirectory(atPath: guides.path).sorted().map {
            let file = guides.appendingPathComponent($0)
            return ($0, try String(contentsOf: file, encoding: .utf8))
        }
    }

    /// The blocks of code of the page: their language and their lines.
    private var blocks: [(language: String, lines: [String])] { blocks(of: page) }

    private func blocks(of text: String) -> [(language: String, lines: [String])] {
        var blocks: [(language: String, lines: [String])] = []
        var isInside = false
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") {
                if !isInside { blocks.append((String(line.dropFirst(3)), [])) }
                isInside.toggle()
            } else if isInside {
                blocks[blocks.count - 1].lines.append(line)
            }
        }
        return blocks
    }

    /// An example: its charts, and the lines that are carried out.
    private struct Example {
        let charts: [String]
        let isOnServer: Bool
        let lines: [String]

        /// What differs from the lines, each in a sentence.
        func differences() throws -> [String] {
            var stage: any ExampleStage = try TrialStage(charts.last ?? "")
            if isOnServer { stage = try ServerStage(charts) }
            return try ExampleLine.lines(lines).compactMap { try stage.difference($0) }
        }
    }

    /// Each block of lines, with the charts since the block before or the same charts as that.
    private var examples: [Example] {
        var examples: [Example] = []
        var charts: [String] = []
        for block in blocks {
            switch block.language {
            case "json": charts.append(block.lines.joined(separator: "\n"))
            case "chart", "server":
                examples.append(
                    Example(
                        charts: charts, isOnServer: block.language == "server",
                        lines: block.lines))
                charts = []
            default: Issue.record("a block of \(block.language)")
            }
        }
        if !charts.isEmpty { Issue.record("a chart that isn't executed: \(charts)") }
        return examples
    }

    @Test func `every example does what its comments say`() throws {
        #expect(examples.count > 10 && examples.flatMap(\.lines).count > 60)
        for example in examples { #expect(try example.differences() == []) }
    }

    @Test(arguments: [
        ("E // a", 1), ("E // b", 1), (#"E // b ; emit {"type":"x"}"#, 0),
        (#"E // b ; emit {"type":"y"}"#, 1),
        (#"E // b ; emit {"type":"x"} ; emit {"type":"x"}"#, 1),
        (#"E // b ; emit {"type":"x"} ; {"n":2}"#, 1),
        (#"E // b ; emit {"type":"x"} ; {"n":1}"#, 0),
    ])
    func `an example that shows something else is found`(line: String, count: Int) throws {
        let chart =
            #"{"id":"m","initial":"a","context":{"n":0},"states":{"a":{"on":{"E":{"#
            + #""target":"b","assign":{"n":"1"},"emit":"x"}}},"b":{"on":{"F":"a"}}}}"#
        for isOnServer in [false, true] {
            let example = Example(charts: [chart], isOnServer: isOnServer, lines: [line])
            #expect(try example.differences().count == count, "\(isOnServer)")
        }
    }

    @Test func `the schema accepts every chart of the pages`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Config/machine.schema.json")
        let schema = SchemaValidator(try JSONValue(parsing: Array(Data(contentsOf: file))))
        for text in [page] + others.map(\.text) {
            for chart in blocks(of: text) where chart.language == "json" {
                let text = chart.lines.joined(separator: "\n")
                #expect(schema.accepts(try JSONValue(parsing: Array(text.utf8))), "\(text)")
            }
        }
    }

    @Test func `the charts of the other pages are valid, without a warning`() throws {
        #expect(others.count > 3)
        for other in others {
            let charts = blocks(of: other.text).filter { $0.language == "json" }
            #expect(!charts.isEmpty, "\(other.name)")
            for chart in charts {
                let text = chart.lines.joined(separator: "\n")
                #expect(try Chart(parsing: Array(text.utf8)).warnings.isEmpty, "\(other.name)")
            }
        }
    }

    @Test func `every word has its place on the page, and an example that is executed`() {
        let words = ChartReader.machineWords.union(ChartReader.stateWords)
            .union(ChartReader.transitionWords).union(ChartReader.actionWords)
            .union(ChartReader.invokeWords).union(ChartReader.sendWords)
            .union(ChartReader.loopWords).union(ChartReader.retryWords)
            .union(ChartReader.branchWords).union(ChartReader.initialWords)
            .union(ChartReader.migrationWords)
        for word in words { #expect(page.contains("`\(word)`"), "\(word)") }
        let charts = examples.flatMap(\.charts).joined(separator: "\n")
        for word in words { #expect(charts.contains("\"\(word)\":"), "\(word)") }
        for value in Self.values { #expect(charts.contains(value), "\(value)") }
    }

    /// Words that are values. `atomic`, `compound`, `shallow` and `fail` are what holds without a
    /// word.
    private static let values = [
        #""type": "parallel""#, #""type": "final""#, #""type": "history""#, #""history": "deep""#,
        #""errors": "scxml""#, #""src": "http""#, #""src": "machine:"#, #""src": { "machine":"#,
        #""to": "parent""#, #""to": "internal""#, #""to": "child:"#, #""via": "machine""#,
        #"{ "expr": "#, #""id": { "assign": "#,
    ]

    @Test func `the page has the limits of the code`() {
        #expect(ChartLimits.microstepsMax == 1_000 && ChartLimits.actionsMax == 10_000)
        #expect(ChartLimits.internalEventsMax == 10_000 && ChartLimits.deferredMax == 64)
        #expect(ChartLimits.expressionStepsMax == 10_000 && ChartLimits.keptBytesPerStep == 256)
        #expect(ChartLimits.resultBytesMax == 65_536)
        #expect(ChartLimits.stateBytesMax == 1 << 20 && ChartLimits.deferredBytesMax == 65_536)
        #expect(ChartLimits.definitionBytesMax == 4 << 20 && ChartLimits.statesMax == 10_000)
        #expect(ChartLimits.transitionsMax == 50_000 && ChartLimits.stateLevelsMax == 32)
        #expect(ChartLimits.computedBytesMax == 65_536 && ChartLimits.computedStatesMax == 500)
        #expect(ChartLimits.computedKeptMax == 64)
        #expect(page.contains("10,000 states, 50,000 transitions, and 32 states around"))
        #expect(page.contains("at most 64 KiB and 500\n  states; 64 of them are kept compiled"))
    }
}
