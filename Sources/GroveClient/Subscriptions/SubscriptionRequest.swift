import GroveWire
import OrderedJSON

/// What to follow and from where.
public struct SubscriptionRequest: Hashable, Sendable {
    /// Where a subscription begins.
    public enum Start: Hashable, Sendable {
        /// With what happens from now on.
        case now
        /// With the oldest record the server holds.
        case first
        /// Right after the record or mark that had this cursor.
        case after(String)
    }

    /// What the server does when the connection can't take more.
    public enum SlowMode: String, Hashable, Sendable, CaseIterable {
        /// It waits; nothing is lost.
        case pause
        /// It keeps the latest state of each instance; for kind `state` only.
        case conflate
        /// It closes the connection.
        case disconnect
    }

    /// A pattern for machines with `*` and `?`; `nil` takes all.
    public var machine: String?
    /// A pattern for the instances' names, the part after the slash; `nil` takes all.
    public var instance: String?
    /// The kinds of records; empty takes all but `trace`.
    public var kinds: [Record.Kind]
    /// A pattern for the names of outputs; `nil` takes all.
    public var type: String?
    /// Where to begin.
    public var start: Start
    /// Whether the present state of every selected instance comes first; only with
    /// ``Start/now``.
    public var wantsSnapshot: Bool
    /// What happens when the connection is full; `nil` leaves it to the server, which pauses.
    public var slow: SlowMode?
    /// How many records may be on their way or waiting, at least 1; `nil` takes the client's.
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

    /// The request that begins at `start` instead and may be sent `credit` records.
    func request(name: String, start: Start, wantsSnapshot: Bool, credit: Int) -> Request {
        var request = Request(.subscribe)
        request.set("sub", .string(name))
        var select = JSONObject()
        if let machine { select["machine"] = .string(machine) }
        if let instance { select["instance"] = .string(instance) }
        if !kinds.isEmpty { select["kind"] = .array(kinds.map { .string($0.rawValue) }) }
        if let type { select["type"] = .string(type) }
        request.set("select", .object(select))
        switch start {
        case .now: request.set("from", .string("now"))
        case .first: request.set("from", .string("first"))
        case .after(let cursor): request.set("from", .object(["after": .string(cursor)]))
        }
        if wantsSnapshot { request.set("snapshot", .bool(true)) }
        request.set("credit", .integer(Int64(credit)))
        if let slow { request.set("slow", .string(slow.rawValue)) }
        return request
    }
}
