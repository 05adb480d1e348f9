import GroveTestSupport
import Testing
import Transducers

@testable import GroveEngine

@Suite("DeadlineQueue")
struct DeadlineQueueTests {
    private func drained(_ queue: DeadlineQueue) -> [DeadlineQueue.Entry] {
        var (queue, all): (DeadlineQueue, [DeadlineQueue.Entry]) = (queue, [])
        while let first = queue.first {
            all.append(first)
            queue.removeFirst()
        }
        return all
    }

    @Test(arguments: 1...20)
    func `deadlines come out in order, in whatever order they were added`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let entries = (0..<200).map { id in
            (deadline: Timestamp(milliseconds: .random(in: 0...50, using: &random)), id: id)
        }
        var one = DeadlineQueue()
        for entry in entries { one.insert(entry.deadline, entry.id) }
        let sorted = entries.sorted { $0 < $1 }
        #expect(drained(one).elementsEqual(sorted, by: ==))
        #expect(drained(DeadlineQueue(entries)).elementsEqual(sorted, by: ==))
    }

    @Test func `an empty queue has no first deadline`() {
        #expect(DeadlineQueue().first == nil && DeadlineQueue([]).count == 0)
    }
}
