/// The states that a microstep enters (SCXML appendix D, `computeEntrySet`).
struct EntrySet {
    /// In document order, without repetition.
    private(set) var states: [Int32] = []
    /// The states among them that are entered by default: their initial actions run.
    private(set) var byDefault: [Int32] = []
    /// The history states whose default transition was taken; one for each state around them.
    private(set) var histories: [(parent: Int32, history: Int32)] = []

    mutating func insert(_ state: Int32) { Self.insert(state, &states) }

    mutating func insertDefault(_ state: Int32) { Self.insert(state, &byDefault) }

    mutating func setHistory(_ history: Int32, of parent: Int32) {
        histories.removeAll { $0.parent == parent }
        histories.append((parent, history))
    }

    private static func insert(_ state: Int32, _ states: inout [Int32]) {
        guard let last = states.last, last >= state else {
            states.append(state)
            return
        }
        let index = position(of: state, in: states)
        if states[index] != state { states.insert(state, at: index) }
    }

    /// The position of the first state from a number on.
    private static func position(of state: Int32, in states: [Int32]) -> Int {
        var low = 0
        var high = states.count
        while low < high {
            let middle = (low + high) / 2
            if states[middle] < state { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether a state within a range of numbers is entered.
    func contains(anyOf range: ClosedRange<Int32>) -> Bool {
        let index = Self.position(of: range.lowerBound, in: states)
        return index < states.count && states[index] <= range.upperBound
    }
}
