import Testing

@testable import GroveServer

@Suite("WaitingQueue")
struct WaitingQueueTests {
    @Test func `who came first goes first, however many there were`() {
        var queue = WaitingQueue()
        #expect(queue.next() == nil && queue.count == 0)
        for id: UInt64 in 0..<10_000 { queue.append(id) }
        for id: UInt64 in 0..<9_000 { #expect(queue.next() == id) }
        queue.append(10_000)
        #expect(queue.count == 1_001)
        for id: UInt64 in 9_000...10_000 { #expect(queue.next() == id) }
        #expect(queue.next() == nil && queue.count == 0)
    }

    @Test func `those that are gone are forgotten, and the others keep their order`() {
        var queue = WaitingQueue()
        for id: UInt64 in 0..<10 { queue.append(id) }
        #expect(queue.next() == 0)
        queue.keep { $0.isMultiple(of: 2) }
        #expect(queue.count == 4)
        var left: [UInt64] = []
        while let id = queue.next() { left.append(id) }
        #expect(left == [2, 4, 6, 8])
    }
}
