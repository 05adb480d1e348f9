import Testing

@testable import GroveServer

@Suite("LogThrottle")
struct LogThrottleTests {
    @Test func `the first line is written at once, others are counted for a while`() {
        var throttle = LogThrottle()
        #expect(throttle.admit(at: 5_000) == 0)
        for _ in 0..<1_000 { #expect(throttle.admit(at: 14_999) == nil) }
        #expect(throttle.overdue(at: 14_999) == nil)
        #expect(throttle.suppressed == 1_000)
        #expect(throttle.overdue(at: 15_000) == 1_000)
        #expect(throttle.overdue(at: 60_000) == nil, "there is nothing to say")
        #expect(throttle.admit(at: 60_000) == 0)
        #expect(throttle.admit(at: 60_001) == nil)
        #expect(throttle.admit(at: 70_000) == 1, "the count comes with the next line")
        #expect(throttle.suppressed == 0)
    }
}
