/// The events or requests that steps cause: depth-first and in order, as everywhere in this
/// library. If a of `[a, b]` causes c, the order is a, c, b.
struct ImmediateQueue<Element> {
    /// The waiting elements, the next one last.
    private var waiting: [Element] = []
    private var count = 0
    private let countMax: Int

    init(countMax: Int = Self.countMax) { self.countMax = countMax }

    /// Adds the elements that a step caused before the waiting ones; `false` when there are too
    /// many, and then nothing waits any more.
    mutating func add(_ caused: [Element]) -> Bool {
        count += caused.count
        guard count <= countMax else {
            waiting.removeAll()
            return false
        }
        waiting.append(contentsOf: caused.reversed())
        return true
    }

    /// Removes and returns the next one.
    mutating func next() -> Element? { waiting.popLast() }
}
