/// A queue whose ``next()`` takes the same time at any length.
package struct WaitingQueue<Element> {
    private var elements: [Element] = []
    private var first = 0

    /// An empty queue.
    package init() {}

    package var count: Int { elements.count - first }

    /// The element that ``next()`` returns.
    package var peek: Element? { first < elements.count ? elements[first] : nil }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// Removes the elements that no longer wait.
    package mutating func keep(_ waits: (Element) -> Bool) {
        elements = elements[first...].filter(waits)
        first = 0
    }

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
