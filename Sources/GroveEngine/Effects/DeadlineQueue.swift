import Transducers

/// Deadlines with what they are of, the earliest first: a binary heap, so that thousands can
/// come, pass and be forgotten at a cost that grows with their logarithm.
///
/// Nothing is removed from its middle. Who forgets an id says so when it comes to the top.
struct DeadlineQueue {
    typealias Entry = (deadline: Timestamp, id: Int)

    private var heap: [Entry] = []

    init() {}

    /// A queue of these.
    init(_ entries: some Sequence<Entry>) {
        heap = Array(entries)
        for place in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(place) }
    }

    /// How many there are, forgotten ones among them.
    var count: Int { heap.count }

    /// The earliest, of several the one with the least id; `nil` for none.
    var first: Entry? { heap.first }

    mutating func insert(_ deadline: Timestamp, _ id: Int) {
        heap.append((deadline, id))
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Removes the earliest.
    ///
    /// - Precondition: There is one.
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
