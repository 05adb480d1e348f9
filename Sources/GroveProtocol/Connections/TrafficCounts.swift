public import GroveWire

/// What passes through the connections of one queue, in plain numbers that belong to it.
public struct TrafficCounts: Sendable {
    /// Microseconds from the arrival of a `send` to its reply, without those that wait for
    /// effects, and without refusals.
    public private(set) var acks = Distribution(bounds: Distribution.times)
    /// The events, by far the most of all requests.
    private var sends: Int64 = 0
    private var others: [Op: Int64] = [:]
    private var refusals: [ErrorCode: Int64] = [:]

    /// Nothing yet.
    public init() {}

    /// Names of the ops that requests are counted under.
    public static let opNames = Op.allCases.map(\.rawValue)

    mutating func count(_ op: Op) {
        switch op {
        case .send: sends += 1
        default: others[op, default: 0] += 1
        }
    }

    mutating func count(_ code: ErrorCode) { refusals[code, default: 0] += 1 }

    mutating func countAck(_ microseconds: Int64) { acks.record(max(0, microseconds)) }

    /// How many requests there were of each op, those without any left out.
    public var requests: [(op: String, count: Int64)] {
        Op.allCases.compactMap { op in
            let count = op == .send ? sends : others[op] ?? 0
            return count > 0 ? (op.rawValue, count) : nil
        }
    }

    /// How often clients were told each error, those that nobody was told left out.
    public var errors: [(code: ErrorCode, count: Int64)] {
        ErrorCode.allCases.compactMap { code in refusals[code].map { (code, $0) } }
    }
}
