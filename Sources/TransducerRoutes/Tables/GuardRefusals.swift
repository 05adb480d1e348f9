/// The guards that refused during an attempt.
@usableFromInline
struct GuardRefusals {
    /// Whether one refused, named or not.
    private(set) var isEmpty = true
    private(set) var names: [String] = []

    @usableFromInline
    init() {}

    @usableFromInline
    mutating func add(_ name: String?) {
        isEmpty = false
        if let name { names.append(name) }
    }

    mutating func add(_ other: GuardRefusals) {
        isEmpty = isEmpty && other.isEmpty
        names += other.names
    }
}
