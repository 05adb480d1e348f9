import Testing

@testable import GroveCommands

@Suite("Counted")
struct CountedTests {
    @Test func `only one is singular`() {
        #expect(counted(1, "line") == "1 line")
        #expect([0, 2, 1_000].map { counted($0, "line") } == ["0 lines", "2 lines", "1000 lines"])
    }

    @Test func `stats count subscriptions`() throws {
        let start = ContinuousClock.now
        let before = StatsSample(numbers: ["uptime_ms": 1], taken: start)
        for (count, words) in [(1, "for 1 subscription"), (2, "for 2 subscriptions")] {
            let after = StatsSample(
                numbers: ["uptime_ms": 1_001, "subscriptions": Int64(count)],
                taken: start.advanced(by: .seconds(1)))
            let change = try #require(StatsChange(before, after))
            #expect(change.rows.contains { $0.last == words })
        }
    }
}
