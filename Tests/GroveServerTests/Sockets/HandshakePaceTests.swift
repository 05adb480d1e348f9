import Testing

@testable import GroveServer

@Suite("HandshakePace")
struct HandshakePaceTests {
    /// Accepts all that may be accepted at an uptime.
    private func burst(_ pace: inout HandshakePace, at uptime: Int64, perSecond: Int) -> Int {
        var count = 0
        while pace.hasRoom(at: uptime, perSecond: perSecond) {
            pace.take()
            count += 1
        }
        return count
    }

    @Test func `a tenth of a second's come at once, then as many as time has passed`() {
        var pace = HandshakePace()
        #expect(burst(&pace, at: 50, perSecond: 500) == 50)
        #expect(burst(&pace, at: 51, perSecond: 500) == 0)
        #expect(burst(&pace, at: 52, perSecond: 500) == 1)
        #expect(burst(&pace, at: 92, perSecond: 500) == 20)
        #expect(burst(&pace, at: 100_000, perSecond: 500) == 50)
    }

    @Test(arguments: [1, 7, 499, 1_000, 100_000])
    func `no second has more than the bound and one burst`(perSecond: Int) {
        var pace = HandshakePace()
        var count = 0
        for uptime in 0..<5_000 as Range<Int64> {
            count += burst(&pace, at: uptime, perSecond: perSecond)
        }
        #expect(count <= 5 * perSecond + max(perSecond / 10, 1))
        #expect(count >= 5 * perSecond - 1)
    }

    @Test func `a changed bound counts at once`() {
        var pace = HandshakePace()
        #expect(burst(&pace, at: 0, perSecond: 100) == 10)
        #expect(burst(&pace, at: 1_000, perSecond: 3) == 1)
        #expect(burst(&pace, at: 1_001, perSecond: 1_000) == 1)
    }

    @Test(arguments: [(1, 1_000), (50, 20), (500, 10), (100_000, 10)])
    func `a pause is that of one connection, and not too short`(perSecond: Int, pause: Int) {
        #expect(HandshakePace.pauseMilliseconds(perSecond: perSecond) == pause)
    }
}
