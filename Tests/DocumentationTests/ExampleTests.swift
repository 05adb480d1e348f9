import Foundation
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

/// The Swift of the documentation, compiled: it stands in `Examples` word for word, without the
/// imports, and without `@main`, of which a test run can't have a second one.
@Suite("Examples of the documentation")
struct ExampleTests {
    @Test func `the bill of the first version is the sum of the second`() throws {
        let bill = Definition(Bill.self, named: "bill", version: "2.0.0").machine
        let restored = try bill.restoreInstance(
            state: Array(#"{"bill":7}"#.utf8), from: "1.0.0")
        var step = StepBuffer()
        try restored.describeInitial(into: &step)
        #expect(String(decoding: step.state.bytes, as: UTF8.self) == #"{"sum":7,"tip":0}"#)
    }

    @Test func `every block of Swift is compiled here`() throws {
        let blocks = Documentation.blocks("swift")
        try #require(!blocks.isEmpty)
        let folder = Documentation.root.appending(path: "Tests/DocumentationTests/Examples")
        let files = ["Doors.swift", "Theatre.swift", "Clients.swift", "Requests.swift"]
        let compiled = try files.map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }
        for block in blocks {
            let text = block.lines.filter { !isImport($0) }.joined(separator: "\n")
                .replacing("@main ", with: "")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(compiled.contains { $0.contains(text) }, "\(block)")
        }
    }

    @Test func `an expense distinguishes accepted answers from others`() throws {
        for (status, told) in [(201, Expense.Output.paid), (402, .refused)] {
            var state = Expense.initialState
            _ = try Expense.update(&state, event: .pay(amount: 5))
            let result = EffectResult(
                id: nil, then: "answered",
                value: ["status": .integer(Int64(status)), "headers": [:], "body": .null])
            let event = try #require(try Expense.effectResult(result))
            #expect("\(try Expense.update(&state, event: event).1)" == "\(told)")
            #expect("\(state)" == "\(told)")
        }
    }

    private func isImport(_ line: String) -> Bool {
        line.hasPrefix("import ") || line.hasPrefix("@testable import ")
    }

    @Test func `the door opens, closes, and names accepted events`() throws {
        var state = Door.initialState
        #expect(try Door.update(&state, event: .open) == .opened)
        #expect(throws: Rejection("it is open", accepts: ["close"])) {
            try Door.update(&state, event: .open)
        }
        #expect(try Door.update(&state, event: .close) == .closed)
        #expect(state == .closed)
        #expect(door.name == "door" && door.stateHasNames)
        let arrows = try #require(door.describer).describe().transitions
        #expect(arrows.map(\.event) == ["open", "close"])
    }
}
