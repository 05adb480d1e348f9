/// When the requests of one connection are due in a run with a fixed rate. The connections take
/// turns: request `k` of connection `i` of `n` is number `k × n + i` of the run. Each connection's
/// clock starts when it is open for the first time.
///
/// The latency of a request starts when it is due, not when there was room for it. So a server that
/// stops for a second is seen by all requests of that second, not just by those under way.
struct SendSchedule {
    private let intervalNanoseconds: Double
    private let connections: Int
    private var number: Int
    private var start: UInt64?

    /// - Parameters:
    ///   - rate: Requests per second of all connections; at least 1.
    ///   - index: The connection's index, below `connections`.
    init(rate: Int, index: Int, connections: Int) {
        intervalNanoseconds = 1e9 / Double(rate)
        self.connections = connections
        number = index
    }

    /// When the next request is due; `nil` before the start.
    var due: UInt64? { start.map { $0 + UInt64(Double(number) * intervalNanoseconds) } }

    /// Starts the clock, the first time only: a connection that was away is late.
    mutating func begin(at now: UInt64) { start = start ?? now }

    /// Takes the next request out of the schedule if it is due; returns when it was.
    mutating func take(at now: UInt64) -> UInt64? {
        guard let due, due <= now else { return nil }
        number += connections
        return due
    }

    /// The number of requests that are due and weren't taken.
    func overdueCount(at now: UInt64) -> Int {
        guard let start, now >= start else { return 0 }
        let last = Int((Double(now - start + 1) / intervalNanoseconds).rounded(.up)) - 1
        return number > last ? 0 : (last - number) / connections + 1
    }
}
