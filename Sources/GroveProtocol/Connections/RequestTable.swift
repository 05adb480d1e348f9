import GroveWire

/// The requests of one connection without a reply, by token; and, if the client asked for strict
/// order, the replies that wait for earlier ones.
struct RequestTable: Sendable {
    /// One request.
    struct Slot {
        var answer: DecodedLine.Answer
        var shape = LineShape.plain
        /// What it asks for; `nil` for what isn't for the engine.
        var op: Op?
        /// Bytes of its line; 0 for a reply that only waits for earlier ones.
        var lineBytes: Int32
        /// Whether its reply must not overtake earlier ones.
        var isOrdered: Bool
        /// The reply, if it came before an earlier one.
        var held: [UInt8]?
        /// The time of arrival in microseconds; 0 if it isn't measured.
        var arrival: Int64 = 0
        /// Whether its reply may come long after the request.
        var waits = false
        /// Whether the client may repeat it without applying anything twice.
        var isRepeatable = false
        /// Whether its success begins a subscription.
        var beginsSubscription = false
        /// Whether its success ends a subscription.
        var endsSubscription = false
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []
    private var order: [UInt32] = []
    private var orderStart = 0

    var count: Int { slots.count - free.count }

    /// Whether a new reply has to wait for earlier ones.
    var hasOrder: Bool { orderStart < order.count }

    /// The request with the next reply in strict order.
    var next: UInt32? { hasOrder ? order[orderStart] : nil }

    subscript(token: UInt32) -> Slot {
        get { slots[Int(token)] }
        _modify { yield &slots[Int(token)] }
    }

    /// Adds a request and returns its token, which is valid until ``release(_:)``.
    mutating func insert(_ slot: consuming Slot) -> UInt32 {
        let token: UInt32
        let isOrdered = slot.isOrdered
        lineBytes += Int(slot.lineBytes)
        if slot.waits {
            waiting += 1
            waitingBytes += Int(slot.lineBytes)
        }
        if let last = free.popLast() {
            token = last
            slots[Int(token)] = slot
        } else {
            token = UInt32(slots.count)
            slots.append(slot)
        }
        if isOrdered { order.append(token) }
        return token
    }

    /// Bytes of the lines of all requests without a reply.
    private(set) var lineBytes = 0
    /// The number of requests that may wait long.
    private(set) var waiting = 0
    private(set) var waitingBytes = 0

    /// Removes the bytes of an answered request's line from the counts, and returns them.
    mutating func removeLineBytes(_ token: UInt32) -> Int {
        let bytes = Int(slots[Int(token)].lineBytes)
        slots[Int(token)].lineBytes = 0
        lineBytes -= bytes
        if slots[Int(token)].waits {
            slots[Int(token)].waits = false
            waiting -= 1
            waitingBytes -= bytes
        }
        return bytes
    }

    mutating func release(_ token: UInt32) {
        slots[Int(token)].held = nil
        free.append(token)
    }

    /// Advances to the next reply in strict order.
    mutating func advanceOrder() {
        orderStart += 1
        if orderStart == order.count {
            order.removeAll(keepingCapacity: true)
            orderStart = 0
        } else if orderStart > 4_096 {
            order.removeFirst(orderStart)
            orderStart = 0
        }
    }

    /// Releases memory when no request is outstanding.
    mutating func releaseIdleMemory() {
        if count == 0 && slots.capacity > 16 { self = RequestTable() }
    }
}
