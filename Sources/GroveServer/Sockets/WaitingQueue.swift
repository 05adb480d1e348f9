/// Numbers of connections in the order they came.
struct WaitingQueue {
    private var ids: [UInt64] = []
    private var start = 0

    /// How many wait.
    var count: Int { ids.count - start }

    /// Puts one at the end.
    mutating func append(_ id: UInt64) { ids.append(id) }

    /// Forgets those that don't wait any more.
    mutating func keep(_ waits: (UInt64) -> Bool) {
        ids = ids[start...].filter(waits)
        start = 0
    }

    /// Takes the first one out.
    mutating func next() -> UInt64? {
        guard start < ids.count else { return nil }
        defer {
            start += 1
            if start == ids.count {
                ids.removeAll(keepingCapacity: true)
                start = 0
            } else if start > 4_096 {
                ids.removeFirst(start)
                start = 0
            }
        }
        return ids[start]
    }
}
