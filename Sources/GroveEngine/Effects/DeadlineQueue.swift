import Transducers

/// Deadlines with ids, the earliest first. A binary heap: the cost of a change grows with the
/// logarithm of the count.
///
/// Nothing is removed from the middle. The owner skips removed ids when they come to the front.
struct DeadlineQueue {
    typealias Entry = (deadline: Timestamp, id: Int)

    private var heap: [Entry] = []

    init() {}

    init(_ entries: some Sequence<Entry>) {
        heap = Array(entries)
        for place in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(place) }
    }

    /// The number of entries, including removed ids.
    var count: Int { heap.count }

    /// The earliest; of equal deadlines, the one with the least id.
    var first: Entry? { heap.first }

    mutating func insert(_ deadline: Timestamp, _ id: Int) {
        heap.append((deadline, id))
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// - Precondition: The queue isn't empty.
    mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink(0)
    }

    private mutating func sink(_ start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < heap.count && heap[child] < heap[least] { least = child }
            guard least != place else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
