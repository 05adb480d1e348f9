import Testing

@testable import GroveBench

@Suite("SendSchedule")
struct SendScheduleTests {
    /// All that is due at this time, in the order of the schedule.
    private func taken(_ schedule: inout SendSchedule, at now: UInt64) -> [UInt64] {
        var times: [UInt64] = []
        while let due = schedule.take(at: now) { times.append(due) }
        return times
    }

    @Test func `connections take turns, and each keeps its share of the rate`() {
        var times: [UInt64] = []
        for index in 0..<4 {
            var schedule = SendSchedule(rate: 1000, index: index, connections: 4)
            schedule.begin(at: 500)
            let own = taken(&schedule, at: 1_000_000_499)
            #expect(own.count == 250)
            times += own
        }
        #expect(times.sorted() == (0..<1000).map { 500 + $0 * 1_000_000 })
    }

    @Test func `nothing is due before the start`() {
        var schedule = SendSchedule(rate: 1, index: 0, connections: 1)
        #expect(schedule.due == nil)
        #expect(schedule.take(at: .max) == nil)
    }

    @Test func `requests that were held up keep the times at which they were due`() {
        var schedule = SendSchedule(rate: 10, index: 0, connections: 1)
        schedule.begin(at: 0)
        #expect(taken(&schedule, at: 0) == [0])
        #expect(schedule.due == 100_000_000)
        schedule.begin(at: 250_000_000)
        #expect(taken(&schedule, at: 299_999_999) == [100_000_000, 200_000_000])
        #expect(taken(&schedule, at: 299_999_999) == [])
    }

    @Test func `a rate that no nanoseconds divide doesn't drift`() {
        var schedule = SendSchedule(rate: 7_000_000, index: 0, connections: 1_000)
        schedule.begin(at: 0)
        let minute: UInt64 = 60_000_000_000
        // 142 ns each instead of 142.86 would be 422,536.
        #expect(taken(&schedule, at: minute).count == 7_000 * 60 + 1)
        #expect(schedule.due == minute + 142_857)
    }

    @Test func `the count of what is overdue is that of what can be taken`() {
        for rate in [1, 3, 7, 1_000, 999_983, 10_000_000] {
            for now in [0, 1, 999, 1_000_000, 333_333_333, 1_000_000_000] as [UInt64] {
                var schedule = SendSchedule(rate: rate, index: 2, connections: 5)
                #expect(schedule.overdueCount(at: now) == 0)
                schedule.begin(at: 10)
                let count = schedule.overdueCount(at: 10 + now)
                #expect(taken(&schedule, at: 10 + now).count == count, "\(rate) \(now)")
                #expect(schedule.overdueCount(at: 10 + now) == 0)
            }
        }
    }
}
