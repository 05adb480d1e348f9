import GroveWire
import OrderedJSON

/// The instances and kinds of records to follow, and the start.
public struct SubscriptionRequest: Hashable, Sendable {
    /// The start of a subscription.
    public enum Start: Hashable, Sendable {
        /// With the next record.
        case now
        /// With the oldest record the server holds.
        case first
        /// With the first record of this many steps before the end, 1 to 10,000.
        case last(Int)
        /// Right after the record or mark that had this cursor.
        case after(String)
    }

    /// The server's behavior when the connection is full.
    public enum SlowMode: String, Hashable, Sendable, CaseIterable {
        /// It waits; nothing is lost.
        case pause
        /// It keeps the latest state of each instance; for kind `state` only.
        case conflate
        /// It closes the connection.
        case disconnect
    }

    /// A pattern for machines with `*` and `?`; `nil` matches all.
    public var machine: String?
    /// A pattern for the instances' names, the part after the slash; `nil` matches all.
    public var instance: String?
    /// The kinds of records; empty matches all but `trace`.
    public var kinds: [Record.Kind]
    /// A pattern for the names of outputs; `nil` matches all.
    public var type: String?
    /// The start.
    public var start: Start
    /// Whether the present state of every selected instance comes first; only with
    /// ``Start/now``.
    public var wantsSnapshot: Bool
    /// The behavior when the connection is full; `nil` leaves it to the server, which pauses.
    public var slow: SlowMode?
    /// The largest number of records on their way or waiting, at least 1; `nil` for the client's.
    public var credit: Int?

    /// A request; without arguments it follows everything from now on.
    public init(
        machine: String? = nil, instance: String? = nil, kinds: [Record.Kind] = [],
        type: String? = nil, start: Start = .now, wantsSnapshot: Bool = false,
        slow: SlowMode? = nil, credit: Int? = nil
    ) {
        self.machine = machine
        self.instance = instance
        self.kinds = kinds
        self.type = type
        self.start = start
        self.wantsSnapshot = wantsSnapshot
        self.slow = slow
        self.credit = credit
    }

    /// The request for a start at `start`, with credit for `credit` records.
    func request(name: String, start: Start, wantsSnapshot: Bool, credit: Int) -> Request {
        var select = JSONObject()
        if let machine { select["machine"] = .string(machine) }
        if let instance { select["instance"] = .string(instance) }
        if !kinds.isEmpty { select["kind"] = .array(kinds.map { .string($0.rawValue) }) }
        if let type { select["type"] = .string(type) }
        let from: JSONValue =
            switch start {
            case .now: .string("now")
            case .first: .string("first")
            case .last(let steps): .object(["last": .integer(Int64(steps))])
            case .after(let cursor): .object(["after": .string(cursor)])
            }
        return Request(.subscribe).with("sub", name).with("select", .object(select))
            .with("from", from).with("snapshot", wantsSnapshot ? true : nil)
            .with("credit", credit).with("slow", slow?.rawValue)
    }
}
