import GroveEngine
import GroveProtocol
import Testing

@testable import GroveServer

@Suite("Clock")
struct ClockTests {
    @Test func `the clock for waits never goes back, the other one is of this century`() {
        let first = Clock.now()
        let second = Clock.now()
        #expect(second.uptime >= first.uptime)
        #expect(first.time.milliseconds > 1_700_000_000_000)
        #expect(first.time.milliseconds < 4_102_444_800_000)
    }

    @Test func `a clock before 1970 counts as 1970`() {
        #expect(Clock.timestamp(milliseconds: -1).milliseconds == 0)
        #expect(Clock.timestamp(milliseconds: 1).milliseconds == 1)
    }
}
