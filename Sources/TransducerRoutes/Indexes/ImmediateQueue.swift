/// What steps cause, waiting for its turn: depth-first and in order, as everywhere in this
/// library. `[a, b]`, of which a causes c, is worked off as a, c, b.
struct ImmediateQueue<Element> {
    /// What waits, the next one last.
    private var waiting: [Element] = []
    private var count = 0
    private let countMax: Int

    init(countMax: Int = Self.countMax) { self.countMax = countMax }

    /// Puts what a step caused before what was waiting; `false` when it is too much, and then
    /// nothing waits any more.
    mutating func put(_ caused: [Element]) -> Bool {
        count += caused.count
        guard count <= countMax else {
            waiting.removeAll()
            return false
        }
        waiting.append(contentsOf: caused.reversed())
        return true
    }

    /// Takes the next one.
    mutating func next() -> Element? { waiting.popLast() }
}
