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

    @Test func `of several lines in a period the first are written, and the others counted`() {
        var throttle = LogThrottle(linesMax: 3, periodMilliseconds: 1_000)
        #expect((0..<5).map { throttle.admit(at: 7_000 + $0) } == [0, 0, 0, nil, nil])
        throttle.leaveOut(10)
        #expect(throttle.overdue(at: 7_999) == nil)
        #expect(throttle.admit(at: 8_000) == 12, "the count comes with the next line")
        #expect((0..<3).map { throttle.admit(at: 8_500 + $0) } == [0, 0, nil])
        #expect(throttle.overdue(at: 9_000) == 1)
        // The line with the count is one of its period.
        #expect((0..<3).map { throttle.admit(at: 9_500 + $0) } == [0, 0, nil])
        #expect(throttle.overdue(at: .max) == 1, "at the end, whatever the period")
        #expect(throttle.overdue(at: .max) == nil)
    }
}
