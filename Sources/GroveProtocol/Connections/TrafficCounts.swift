import GroveWire

/// The counts of requests, errors and reply times of one queue's connections.
package struct TrafficCounts: Sendable {
    /// Microseconds from the arrival of a `send` to its reply, without requests that wait for
    /// effects, and without errors.
    package private(set) var acks = Distribution(bounds: Distribution.times)
    /// Events are the most frequent requests by far.
    private var sends: Int64 = 0
    private var others: [Op: Int64] = [:]
    private var refusals: [ErrorCode: Int64] = [:]

    init() {}

    /// The ops by which requests are counted.
    package static let opNames = Op.allCases.map(\.rawValue)

    mutating func count(_ op: Op) {
        switch op {
        case .send: sends += 1
        default: others[op, default: 0] += 1
        }
    }

    mutating func count(_ code: ErrorCode) { refusals[code, default: 0] += 1 }

    mutating func countAck(_ microseconds: Int64) { acks.record(max(0, microseconds)) }

    /// The number of requests per op; ops without any are left out.
    package var requests: [(op: String, count: Int64)] {
        Op.allCases.compactMap { op in
            let count = op == .send ? sends : others[op] ?? 0
            return count > 0 ? (op.rawValue, count) : nil
        }
    }

    /// The number of replies per error; errors without any are left out.
    package var errors: [(code: ErrorCode, count: Int64)] {
        ErrorCode.allCases.compactMap { code in refusals[code].map { (code, $0) } }
    }
}
