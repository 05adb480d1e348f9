/// The states of a chart by the state around them and their names, histories included.
struct ChildTable: Sendable {
    private struct Name: Hashable {
        let parent: Int32
        let key: String
    }

    private var numbers: [Name: Int32] = [:]

    init(_ states: [StateNode]) {
        numbers.reserveCapacity(states.count)
        for (index, state) in states.enumerated() {
            numbers[Name(parent: state.parent, key: state.key)] = Int32(index)
        }
    }

    subscript(parent: Int32, key: String) -> Int32? { numbers[Name(parent: parent, key: key)] }

    /// The state with a dotted path of names from the machine, such as `shipping.packing`; never a
    /// history.
    func state(atPath path: String, in states: [StateNode]) -> Int32? {
        var current: Int32 = 0
        for name in path.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false) {
            guard let child = self[current, String(name)], !states[Int(child)].isHistory else {
                return nil
            }
            current = child
        }
        return current
    }
}
