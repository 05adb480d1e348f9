import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// What is kept of each instance in memory.
@Suite("InstanceTable")
struct InstanceTableTests {
    private func capacities(_ harness: EngineHarness) -> [Int] {
        harness.engine.instances.residents.map(\.stored.state.capacity)
    }

    @Test func `states that are kept have no room to spare, however instances came about`() throws {
        let harness = try EngineHarness()
        // What a large state would have left.
        harness.engine.scratch.state.bytes.reserveCapacity(4_096)
        for number in 0..<200 {
            _ = try harness.ask(
                .create(
                    Create(
                        to: try harness.instance("counter/made-\(number)"), hasInput: false,
                        dedup: nil)))
            _ = try harness.send("counter/sent-\(number)", #""increment""#)
            let item = Import(
                to: try harness.instance("counter/taken-\(number)"), version: 3,
                state: Array(#"{"count":3}"#.utf8), isDone: false, result: nil, dedup: nil,
                isTrial: false)
            _ = try harness.ask(.importing(item))
        }
        try harness.settle()
        let capacities = capacities(harness)
        #expect(capacities.count == 600)
        #expect(capacities.max().map { $0 < 100 } == true, "\(capacities.max() ?? 0) bytes")
    }
}
