import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// The memory that each instance uses.
@Suite("InstanceTable")
struct InstanceTableTests {
    private func capacities(_ harness: EngineHarness) -> [Int] {
        harness.engine.instances.all.map(\.stored.state.capacity)
    }

    @Test func `kept states have no unused capacity, however they were made`() throws {
        let harness = try EngineHarness()
        // The bytes that a large state would leave unused.
        harness.engine.scratch.state.bytes.reserveCapacity(4_096)
        for number in 0..<200 {
            _ = try harness.ask(
                .create(
                    Create(
                        to: try harness.instance("counter/made-\(number)"), input: nil,
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

    @Test func `the table's bytes are those of its states and effects`() throws {
        let harness = try EngineHarness()
        func check(_ place: SourceLocation = #_sourceLocation) {
            let sum = harness.engine.instances.all.reduce(0) {
                $0 + $1.stored.state.count + ($1.effects?.bytes ?? 0)
            }
            #expect(harness.engine.instances.bytes == sum, sourceLocation: place)
        }
        for number in 0..<5 {
            _ = try harness.send("order/\(number)", #"{"type":"place","total":3}"#)
            try harness.settle()
            check()
        }
        let withTimers = harness.engine.instances.bytes
        _ = try harness.send("order/1", #"{"type":"pay","amount":3}"#)
        try harness.settle()
        check()
        #expect(harness.engine.instances.bytes < withTimers)
        _ = try harness.ask(.delete(try harness.instance("order/2")))
        try harness.settle()
        check()
        #expect(harness.engine.instances.count == 4)
    }

    @Test func `idle instances with large states leave memory before there are many`() throws {
        var options = EngineOptions()
        options.residentBytesMax = 1_000
        let harness = try EngineHarness(options: options)
        for round in 1...2 {
            for number in 0..<200 {
                let reply = try harness.send("counter/\(number)", #""increment""#)
                #expect(reply.hasPrefix("v\(round) "), "\(reply)")
                #expect(harness.engine.instances.bytes <= 1_000)
            }
        }
        // {"count":1} each.
        #expect(harness.engine.instances.count == 1_000 / 11)
        options.residentBytesMax = 0
        harness.engine.reconfigure(options)
        _ = try harness.send("counter/0", #""increment""#)
        #expect(harness.engine.instances.count == 0)
        #expect(harness.engine.instances.bytes == 0)
    }

    @Test func `a few large states don't evict many small ones`() throws {
        var options = EngineOptions()
        options.residentBytesMax = 20_000
        let harness = try EngineHarness(options: options)
        for number in 0..<500 { _ = try harness.send("counter/\(number)", #""increment""#) }
        let track = String(repeating: "x", count: 4_000)
        for number in 0..<20 {
            let item = Import(
                to: try harness.instance("order/\(number)"), version: 1,
                state: Array(
                    #"{"status":"shipped","total":1,"paid":1,"track":"\#(track)"}"#.utf8),
                isDone: false, result: nil, dedup: nil, isTrial: false)
            _ = try harness.ask(.importing(item))
            #expect(harness.engine.instances.place(of: item.to) != nil)
            #expect(harness.engine.instances.bytes <= 20_000 + 5_000)
        }
        let small = harness.engine.instances.all.count { $0.stored.name.machine == "counter" }
        #expect(small == 500)
    }
}

extension InstanceTable {
    /// Copies of all instances.
    fileprivate var all: [Resident] { (0..<count).map { residents[$0] } }
}
