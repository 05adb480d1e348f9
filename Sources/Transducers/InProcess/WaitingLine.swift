/// Those who wait for room, in order. To come, to be the next and to leave each take the same time,
/// however many wait.
struct WaitingLine<Waiter> {
    private var waiters: [UInt64: Waiter] = [:]
    /// The order; numbers of those who have left may be among them, but not as the first.
    private var numbers: ArraySlice<UInt64> = []

    var count: Int { waiters.count }

    var first: Waiter? { numbers.first.flatMap { waiters[$0] } }

    /// Adds a waiter, under a number that nobody had before.
    mutating func append(_ waiter: Waiter, number: UInt64) {
        waiters[number] = waiter
        numbers.append(number)
    }

    mutating func popFirst() -> Waiter? { numbers.first.flatMap { remove($0) } }

    mutating func remove(_ number: UInt64) -> Waiter? {
        guard let waiter = waiters.removeValue(forKey: number) else { return nil }
        while let first = numbers.first, waiters[first] == nil { numbers.removeFirst() }
        if numbers.count > 2 * waiters.count + 16 {
            numbers = ArraySlice(numbers.filter { waiters[$0] != nil })
        }
        return waiter
    }

    /// - Returns: All waiters, in order.
    mutating func removeAll() -> [Waiter] {
        defer {
            waiters = [:]
            numbers = []
        }
        return numbers.compactMap { waiters[$0] }
    }
}
