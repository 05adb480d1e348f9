import CEL
import Foundation
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

    @Test func `every example does what its comments say`() throws {
        var chart = ""
        var count = 0
        for block in blocks {
            switch block.language {
            case "json": chart = block.lines.joined(separator: "\n")
            case "chart":
                var trial = try Trial(chart)
                for line in block.lines {
                    count += 1
                    try follow(line, &trial)
                }
            default: Issue.record("a block of \(block.language)")
            }
        }
        #expect(count > 30)
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

    /// Sends the event of a line, or lets time pass, and compares.
    private func follow(_ line: String, _ trial: inout Trial) throws {
        let parts = line.components(separatedBy: " // ")
        try #require(parts.count == 2, "\(line)")
        let words = parts[0].split(separator: " ", maxSplits: 1).map(String.init)
        if words[0] != "start" { trial.run.records = [] }
        if words[0] == "after" {
            let delay = try #require(ChartDelay.milliseconds(words[1]))
            try trial.run.advance(milliseconds: delay)
        } else if words[0] != "start" {
            try trial.send(words[0], words.count > 1 ? words[1] : "{}")
        }
        let expected = parts[1].components(separatedBy: " ; ")
        #expect(trial.active == expected[0], "\(line)")
        let found =
            [trial.context] + trial.outputs.map { "emit \($0)" } + trial.log.map { "log \($0)" }
        for text in expected.dropFirst() { #expect(found.contains(text), "\(line): \(found)") }
        let shown = expected.filter { $0.hasPrefix("emit ") || $0.hasPrefix("log ") }
        #expect(shown.count == found.count - 1, "\(line): \(found)")
    }

    @Test func `every word has its place on the page, and an example where it does something`() {
        let words = ChartReader.machineWords.union(ChartReader.stateWords)
            .union(ChartReader.transitionWords).union(ChartReader.actionWords)
            .union(ChartReader.invokeWords).union(ChartReader.sendWords)
            .union(ChartReader.loopWords).union(ChartReader.retryWords)
        for word in words { #expect(page.contains("`\(word)`"), "\(word)") }
        let examples = blocks.flatMap(\.lines).joined(separator: "\n")
        // Requests and handlers need a host.
        let others: Set = [
            "$schema", "description", "tags", "method", "url", "headers", "body", "retry",
            "timeout", "autoforward", "finalize", "onError", "exit", "output", "max", "interval",
            "backoff", "cap", "jitter", "migrates",
        ]
        for word in words.subtracting(others) {
            #expect(examples.contains("\"\(word)\":"), "\(word)")
        }
    }

    @Test func `the page has the limits of the code`() {
        #expect(ChartLimits.microstepsMax == 1_000 && ChartLimits.actionsMax == 10_000)
        #expect(ChartLimits.internalEventsMax == 10_000 && ChartLimits.deferredMax == 64)
        #expect(ChartLimits.expressionStepsMax == 10_000 && ChartLimits.resultBytesMax == 65_536)
        #expect(ChartLimits.stateBytesMax == 1 << 20 && ChartLimits.deferredBytesMax == 65_536)
        #expect(ChartLimits.definitionBytesMax == 4 << 20 && ChartLimits.statesMax == 10_000)
        #expect(ChartLimits.transitionsMax == 50_000 && ChartLimits.stateLevelsMax == 32)
        #expect(ChartLimits.computedBytesMax == 65_536 && ChartLimits.computedStatesMax == 500)
        #expect(ChartLimits.computedKeptMax == 64)
        #expect(page.contains("10,000 states, 50,000 transitions, and 32 states around"))
        #expect(page.contains("at most 64 KiB and 500\n  states; 64 of them are kept compiled"))
    }
}
