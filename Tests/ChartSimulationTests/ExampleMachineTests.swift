import CEL
import Foundation
import Statecharts
import Testing

@testable import ChartSimulation

/// The machines of `Config/machines`: sound, tested by their conversations, and explained.
struct ExampleMachineTests {
    private let root: URL
    private let folder: URL
    private let names: [String]

    init() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        self.root = root
        folder = root.appendingPathComponent("Config/machines")
        names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func chart(_ name: String) throws -> Chart {
        try Chart(parsing: Array(try Data(contentsOf: folder.appendingPathComponent(name))))
    }

    @Test func `each is valid without a warning, has conversations, and a part of the page`()
        throws
    {
        let page = try String(
            contentsOf: root.appendingPathComponent("docs/statecharts/examples.md"),
            encoding: .utf8)
        let definitions = names.filter { $0.hasSuffix(".json") }
        #expect(definitions.count == 7)
        for name in definitions {
            let chart = try chart(name)
            #expect(chart.warnings.isEmpty, "\(name)")
            #expect(chart.name.map { $0 + ".json" } == name)
            #expect(page.contains("(../../Config/machines/\(name))"))
            let stem = name.dropLast(".json".count)
            #expect(names.contains("\(stem).conversation"), "\(name)")
        }
    }

    @Test func `each conversation shows what the machine does`() throws {
        var count = 0
        for name in names where name.hasSuffix(".conversation") {
            let text = try String(
                contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            let stem = name.prefix { $0 != "." }
            let outcome = try Conversation(text).run(Simulation(try chart("\(stem).json")))
            #expect(outcome.text == text, "\(name)")
            #expect(outcome.fault == nil, "\(name)")
            count += 1
        }
        let page = try String(
            contentsOf: root.appendingPathComponent("docs/statecharts/examples.md"),
            encoding: .utf8)
        #expect(page.contains("`grove test` says `\(count)/\(count)`"))
        let turnstile = try String(
            contentsOf: folder.appendingPathComponent("turnstile.json"), encoding: .utf8)
        #expect(page.contains("```json\n\(turnstile)```"))
    }

    @Test func `people never walk while cars may drive`() throws {
        let chart = try chart("traffic-light.json")
        var options = Exploration.Options()
        options.invariants = [
            try ChartCondition("!in('walk') || in('red')", on: chart),
            try ChartCondition("!in('hurry') || in('red')", on: chart),
        ]
        options.waits = [7_000]
        let report = Exploration.explore(chart, options)
        #expect(report.isComplete)
        #expect(report.findings.isEmpty)
        #expect(report.unreached.isEmpty)
    }

    @Test func `a trip that has failed has nothing booked, in all sequences`() throws {
        let chart = try chart("trip.json")
        var options = Exploration.Options()
        for (name, id) in [("flight", "F"), ("hotel", "H"), ("car", "C")] {
            options.answers["book-\(name)"] = [["body": ["id": .string(id)]]]
        }
        options.invariants = [
            try ChartCondition(
                "!in('failed') || (context.flight == '' && context.hotel == '')", on: chart)
        ]
        let report = Exploration.explore(chart, options)
        #expect(report.isComplete)
        #expect(report.findings.isEmpty)
        #expect(report.unreached.isEmpty)
        #expect(report.states == 13)
    }

    @Test func `an elevator stays between its floors`() throws {
        let chart = try chart("elevator.json")
        var options = Exploration.Options()
        options.invariants = [
            try ChartCondition("context.floor >= 0 && context.floor <= 9", on: chart)
        ]
        let report = Exploration.explore(chart, options)
        #expect(report.isComplete)
        #expect(report.findings.isEmpty)
        #expect(report.unreached.isEmpty)
    }
}
