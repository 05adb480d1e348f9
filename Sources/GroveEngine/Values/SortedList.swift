/// Distinct values in order, in chunks of a few hundred: an insertion or removal moves one chunk,
/// not all later values.
struct SortedList<Element: Comparable> {
    /// None is empty.
    private var chunks: [[Element]] = []
    private(set) var count = 0

    init() {}

    /// Adds a value; one that is present stays.
    mutating func insert(_ element: Element) {
        guard !chunks.isEmpty else {
            chunks = [[element]]
            count = 1
            return
        }
        let chunk = chunk(for: element)
        let place = place(of: element, in: chunk)
        if place < chunks[chunk].count, chunks[chunk][place] == element { return }
        chunks[chunk].insert(element, at: place)
        count += 1
        guard chunks[chunk].count > Limits.sortedChunkMax else { return }
        let tail = Array(chunks[chunk][(Limits.sortedChunkMax / 2)...])
        chunks[chunk].removeLast(tail.count)
        chunks.insert(tail, at: chunk + 1)
    }

    mutating func remove(_ element: Element) {
        guard !chunks.isEmpty else { return }
        let chunk = chunk(for: element)
        let place = place(of: element, in: chunk)
        guard place < chunks[chunk].count, chunks[chunk][place] == element else { return }
        chunks[chunk].remove(at: place)
        count -= 1
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// The last chunk whose first value isn't greater; the first chunk if there is none.
    private func chunk(for element: Element) -> Int {
        var (low, high) = (0, chunks.count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle][0] <= element { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }

    /// The index of a chunk's first value that isn't less.
    private func place(of element: Element, in chunk: Int) -> Int {
        var (low, high) = (0, chunks[chunk].count)
        while low < high {
            let middle = (low + high) / 2
            if chunks[chunk][middle] < element { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The values from `start`, itself included, or all; computed lazily.
    func values(from start: Element? = nil) -> Values {
        guard let start, !chunks.isEmpty else { return Values(chunks: chunks[...], place: 0) }
        let chunk = chunk(for: start)
        return Values(chunks: chunks[chunk...], place: place(of: start, in: chunk))
    }

    func values(after start: Element?) -> some Sequence<Element> {
        values(from: start).lazy.drop { $0 == start }
    }

    /// Values of a list in order.
    struct Values: Sequence, IteratorProtocol {
        fileprivate var chunks: ArraySlice<[Element]>
        fileprivate var place: Int

        mutating func next() -> Element? {
            while let chunk = chunks.first {
                if place < chunk.count {
                    defer { place += 1 }
                    return chunk[place]
                }
                chunks.removeFirst()
                place = 0
            }
            return nil
        }
    }
}
