/// Who waits for a turn, in the order of coming. Taking the first one takes the same time however
/// many wait.
package struct WaitingQueue<Element> {
    private var elements: [Element] = []
    private var first = 0

    /// An empty queue.
    package init() {}

    /// How many wait.
    package var count: Int { elements.count - first }

    /// Puts one at the end.
    package mutating func append(_ element: Element) { elements.append(element) }

    /// Forgets those that don't wait any more.
    package mutating func keep(_ waits: (Element) -> Bool) {
        elements = elements[first...].filter(waits)
        first = 0
    }

    /// Takes the first one out.
    package mutating func next() -> Element? {
        guard first < elements.count else { return nil }
        defer {
            first += 1
            if first == elements.count {
                elements.removeAll(keepingCapacity: first < 4_096)
                first = 0
            } else if first >= 1_024, 2 * first > elements.count {
                elements.removeFirst(first)
                first = 0
            }
        }
        return elements[first]
    }
}
