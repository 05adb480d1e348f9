/// Who waits for a turn, in the order of coming; taking the first costs nothing more than it.
struct WaitingLine<Element> {
    private var elements: [Element] = []
    private var first = 0

    /// How many wait.
    var count: Int { elements.count - first }

    /// Puts one at the end.
    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the first one off.
    mutating func next() -> Element? {
        guard first < elements.count else { return nil }
        defer {
            first += 1
            if first == elements.count || first >= 1_024 && 2 * first > elements.count {
                elements.removeFirst(first)
                first = 0
            }
        }
        return elements[first]
    }
}
