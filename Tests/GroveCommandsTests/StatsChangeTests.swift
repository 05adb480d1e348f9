import OrderedJSON
import Testing

@testable import GroveCommands

@Suite("StatsSample, StatsChange")
struct StatsChangeTests {
    private static let start = ContinuousClock.now

    private func sample(_ numbers: [String: Int64], at seconds: Int) -> StatsSample {
        StatsSample(numbers: numbers, taken: Self.start + .seconds(seconds))
    }

    private func change(
        _ before: [String: Int64], _ after: [String: Int64], seconds: Int = 2
    ) throws -> StatsChange {
        try #require(StatsChange(sample(before, at: 0), sample(after, at: seconds)))
    }

    @Test func `counters become rates, and their parts the greatest first`() throws {
        let change = try change(
            ["requests": 10, "requests.send": 8, "requests.get": 2],
            ["requests": 30, "requests.send": 10, "requests.get": 18, "requests.ping": 2])
        #expect(change.rate("requests") == 10 && change.rate("errors") == 0)
        let parts = change.parts(of: "requests").map { "\($0.name) \($0.rate)" }
        #expect(parts == ["get 8.0", "ping 1.0", "send 1.0"])
    }

    @Test func `a restarted server can't be compared`() {
        let before = sample(["uptime_ms": 100], at: 0)
        #expect(StatsChange(before, sample(["uptime_ms": 50], at: 1)) == nil)
        #expect(StatsChange(before, sample(["uptime_ms": 200], at: 0)) == nil)
    }

    @Test func `percentiles are of the new values only`() throws {
        let before: [String: Int64] = ["t.count": 100, "t.le_10": 100, "t.le_100": 100]
        let after: [String: Int64] = ["t.count": 200, "t.le_10": 150, "t.le_100": 190]
        let change = try change(before, after)
        #expect(change.percentile(50, of: "t") == 10 && change.percentile(1, of: "t") == 0.2)
        #expect(change.percentile(90, of: "t") == 100 && change.percentile(70, of: "t") == 55)
        #expect(change.percentile(95, of: "t") == .infinity)
        #expect(change.percentile(50, of: "other") == nil)
        #expect(change.mean("t") == 0 && change.mean("other") == nil)
    }

    @Test func `rows are right for old and idle servers too`() throws {
        let rows = try change([:], [:]).rows
        #expect(rows.allSatisfy { $0.count == 3 })
        #expect(rows[1] == ["events", "0/s", "acknowledged in -"])
        let beyond = try change(
            [:], ["ack_us.count": 2, "ack_us.le_10000000": 0, "uptime_ms": 7_200_000])
        let text = beyond
        #expect(
            text.rows[1] == [
                "events", "1/s", "acknowledged in p50 over 10 s p90 over 10 s p99 over 10 s",
            ])
        #expect(text.rows.last == ["up", "2 h 0 min", ""])
        #expect(text.json["ack_us"] == [:] && text.json["events_per_second"]?.double == 1)
        #expect(text.line.hasPrefix("events 1/s  ack p50 over 10 s"))
    }

    @Test func `numbers have about three digits`() {
        #expect(
            [0, 0.314, 4.26, 42, 99.96, 1_234.5].map(StatsChange.number) == [
                "0", "0.31", "4.3", "42", "100", "1,235",
            ])
        #expect(
            [0, 999, 1_000, 1_234_567, -1_000].map(StatsChange.count) == [
                "0", "999", "1,000", "1,234,567", "-1,000",
            ])
        #expect(
            [0, 1_000, 2_048, 5_368_709_120].map(StatsChange.bytes) == [
                "0 B", "1,000 B", "2 KiB", "5 GiB",
            ])
        #expect(
            [310, 42_000, 250_400, 2_500_000].map(StatsChange.time) == [
                "0.31 ms", "42 ms", "250 ms", "2.5 s",
            ])
    }
}
