import Testing

@testable import GroveProtocol

@Suite("LargestReply")
struct LargestReplyTests {
    private let window = ServerLimits.largeReplyWindowMilliseconds

    @Test func `the largest counts, and a least one from the beginning`() {
        var largest = LargestReply(atLeast: 100)
        largest.advance(to: 5 * window)
        #expect(largest.bytes == 100)
        for bytes in [50, 300, 200] { largest.note(bytes) }
        #expect(largest.bytes == 300)
    }

    @Test func `one is remembered for a window and forgotten after two`() {
        for begin in [0, 1, window - 1] {
            var largest = LargestReply(atLeast: 100)
            largest.advance(to: 7 * window + begin)
            largest.note(300)
            largest.advance(to: 8 * window + begin)
            #expect(largest.bytes == 300, "\(begin)")
            largest.note(200)
            largest.advance(to: 9 * window - 1)
            #expect(largest.bytes == 300, "\(begin)")
            largest.advance(to: 9 * window)
            #expect(largest.bytes == 200, "\(begin)")
            largest.advance(to: 10 * window)
            #expect(largest.bytes == 100, "\(begin)")
        }
    }

    @Test func `after a long silence nothing is left of either window`() {
        var largest = LargestReply(atLeast: 100)
        largest.note(300)
        largest.advance(to: window)
        largest.note(400)
        largest.advance(to: 3 * window)
        #expect(largest.bytes == 100)
    }
}
