/// The descriptions that are made outside of the engine, by connection.
struct DescriptionCounts {
    private var byConnection: [ConnectionID: Int] = [:]
    private var total = 0

    var isEmpty: Bool { total == 0 }

    /// Whether a connection's next description waits until one is made.
    ///
    /// - Parameter count: Those that begin with the present batch.
    func isFull(for connection: ConnectionID, besides count: Int) -> Bool {
        total + count >= Limits.descriptionsMax
            || (byConnection[connection] ?? 0) + count >= Limits.descriptionsPerConnectionMax
    }

    mutating func begin(of connection: ConnectionID) {
        byConnection[connection, default: 0] += 1
        total += 1
    }

    mutating func end(of connection: ConnectionID) {
        guard let count = byConnection[connection] else { return }
        byConnection[connection] = count > 1 ? count - 1 : nil
        total -= 1
    }
}
