import CoreMetrics
import MetricsTestKit
import OrderedJSON
import Testing

@testable import GroveServer

@Suite("MetricsForwarder")
struct MetricsForwarderTests {
    @Test func `counters get differences, gauges values`() throws {
        let library = TestMetrics()
        var forwarder = try #require(MetricsForwarder(library))
        forwarder.forward([
            ("lines", 5), ("connections", 2), ("uptime_ms", 1_500), ("requests", 4),
            ("requests.send", 3), ("requests.get", 1),
        ])
        forwarder.forward([
            ("lines", 7), ("connections", 1), ("uptime_ms", 2_500), ("requests", 4),
            ("requests.send", 3), ("requests.get", 1),
        ])
        #expect(try library.expectCounter("grove_lines_total").values == [5, 2])
        #expect(try library.expectMeter("grove_connections").values == [2, 1])
        #expect(try library.expectMeter("grove_uptime_seconds").values == [1.5, 2.5])
        #expect(
            try library.expectCounter("grove_requests_total", [("op", "send")]).totalValue == 3)
        #expect(library.counters(label: "grove_requests_total").count == 2)
    }

    @Test func `a histogram arrives as the counters it consists of`() throws {
        let library = TestMetrics()
        var forwarder = try #require(MetricsForwarder(library))
        forwarder.forward([
            ("ack_us.count", 4), ("ack_us.sum", 3_000_000), ("ack_us.le_100", 1),
            ("ack_us.le_1000000", 3), ("commit_requests.sum", 9),
        ])
        #expect(try library.expectCounter("grove_ack_seconds_count").totalValue == 4)
        #expect(try library.expectCounter("grove_ack_seconds_sum").totalValue == 3)
        let bucket = try library.expectCounter("grove_ack_seconds_bucket", [("le", "0.0001")])
        #expect(bucket.totalValue == 1)
        #expect(library.counters(label: "grove_ack_seconds_bucket").count == 2)
        #expect(try library.expectCounter("grove_commit_requests_sum").totalValue == 9)
    }

    @Test func `a number that isn't on the list arrives too`() throws {
        let library = TestMetrics()
        var forwarder = try #require(MetricsForwarder(library))
        forwarder.forward([("a_new_one", 5)])
        #expect(try library.expectMeter("grove_a_new_one").values == [5])
    }

    @Test func `at the end the forwarder releases everything`() throws {
        let library = TestMetrics()
        var forwarder = try #require(MetricsForwarder(library))
        forwarder.forward([("lines", 5), ("connections", 2), ("ack_us.sum", 1)])
        forwarder.end()
        #expect(library.counters.isEmpty && library.meters.isEmpty)
    }

    @Test func `without a library there is nothing to do`() {
        #expect(MetricsForwarder(nil) == nil)
        #expect(MetricsForwarder(NOOPMetricsHandler.instance) == nil)
    }
}

extension OverSockets {
    @Suite("A server's metrics library", .timeLimit(.minutes(1)))
    struct LibraryTests {
        @Test func `the library gets the numbers of stats, with the engine's`() async throws {
            let library = TestMetrics()
            try await RunningServer.with({ $0.metrics = library }) { running in
                let client = try running.connect()
                _ = try client.ask(#"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#)
                while library.counterTotal(label: "grove_engine_steps_total") == 0 {
                    await Task.yield()
                }
                #expect(try library.expectMeter("grove_connections").lastValue == 1)
                #expect(
                    try library.expectCounter("grove_requests_total", [("op", "send")])
                        .totalValue == 1)
            }
            #expect(library.counters.isEmpty)
        }
    }
}
