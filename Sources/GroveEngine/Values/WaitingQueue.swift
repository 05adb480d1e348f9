/// A queue whose ``next()`` takes the same time at any length. Public and inlinable, so that other
/// targets specialize it: a generic array costs them thousands of instructions per element, and a
/// `package` function isn't inlined there.
public struct WaitingQueue<Element> {
    /// Those that were taken out are `nil`, so that their memory isn't kept until all are.
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var first = 0

    /// An empty queue.
    @inlinable public init() {}

    @inlinable public var count: Int { elements.count - first }

    /// The element that ``next()`` returns.
    @inlinable public var peek: Element? { first < elements.count ? elements[first] : nil }

    @inlinable public mutating func append(_ element: Element) { elements.append(element) }

    /// Removes the elements that no longer wait.
    public mutating func keep(_ waits: (Element) -> Bool) {
        elements = elements[first...].filter { $0.map(waits) ?? false }
        first = 0
    }

    @inlinable public mutating func next() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: first < 4_096)
            first = 0
        } else if first >= 1_024, 2 * first > elements.count {
            elements.removeFirst(first)
            first = 0
        }
        return element
    }
}
