import Testing

@testable import GroveEngine

@Suite("WaitingQueue")
struct WaitingQueueTests {
    @Test func `the first one added comes first`() {
        var queue = WaitingQueue<Int>()
        let none = queue.next()
        #expect(none == nil && queue.count == 0)
        for number in 0..<10_000 { queue.append(number) }
        var taken: [Int] = []
        for _ in 0..<9_000 { if let number = queue.next() { taken.append(number) } }
        queue.append(10_000)
        #expect(queue.count == 1_001)
        while let number = queue.next() { taken.append(number) }
        #expect(taken == Array(0...10_000) && queue.count == 0)
    }

    @Test func `removed elements are skipped, and the others keep their order`() {
        var queue = WaitingQueue<Int>()
        for number in 0..<10 { queue.append(number) }
        let first = queue.next()
        #expect(first == 0)
        queue.keep { $0.isMultiple(of: 2) }
        #expect(queue.count == 4)
        var left: [Int] = []
        while let number = queue.next() { left.append(number) }
        #expect(left == [2, 4, 6, 8])
    }

    private final class Object: Sendable {}

    @Test func `an element that was taken isn't kept until the others are`() throws {
        var queue = WaitingQueue<Object>()
        weak var taken: Object?
        do {
            let object = Object()
            taken = object
            queue.append(object)
            queue.append(Object())
        }
        #expect(taken != nil)
        do {
            let first = queue.next()
            #expect(first === taken)
        }
        #expect(taken == nil && queue.count == 1 && queue.peek != nil)
    }
}
