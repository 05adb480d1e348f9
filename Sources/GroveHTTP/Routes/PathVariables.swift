/// The values of the variable parts of a path, by the names that its route gives them. There are
/// few, so that a search from the first on is the fastest.
struct PathVariables: Sendable, Equatable {
    private var pairs: [(name: String, value: ArraySlice<UInt8>)] = []

    /// Whether the path has no variable part.
    var isEmpty: Bool { pairs.isEmpty }

    /// The parts in their order.
    var all: [(name: String, value: ArraySlice<UInt8>)] { pairs }

    subscript(name: String) -> ArraySlice<UInt8>? { pairs.first { $0.name == name }?.value }

    mutating func append(_ name: String, _ value: ArraySlice<UInt8>) { pairs.append((name, value)) }

    static func == (one: PathVariables, other: PathVariables) -> Bool {
        one.pairs.elementsEqual(other.pairs) { $0 == $1 }
    }
}
