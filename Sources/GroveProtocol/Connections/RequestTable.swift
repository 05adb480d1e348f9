/// The requests of one connection that wait for their reply: token ↔ id, and, where the client
/// asked for strict order, the replies that wait for their turn.
struct RequestTable: Sendable {
    /// One request.
    struct Slot {
        var answer: DecodedLine.Answer
        /// How it is written.
        var shape = LineShape.plain
        /// Bytes of its line; 0 for a reply that only waits for its turn.
        var lineBytes: Int32
        /// Whether its reply must not overtake earlier ones.
        var isOrdered: Bool
        /// The reply, when it came before its turn.
        var held: [UInt8]?
        /// When it arrived, in microseconds; 0 where that isn't measured.
        var arrival: Int64 = 0
        /// Whether its reply may come long after it was taken.
        var waits = false
        /// Whether it may be sent again then, without doing anything twice.
        var isRepeatable = false
        /// Whether its success ends a subscription.
        var endsSubscription = false
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []
    private var order: [UInt32] = []
    private var orderStart = 0

    /// Requests that are not answered yet, held replies included.
    var count: Int { slots.count - free.count }

    /// Whether replies wait for their turn, or would have to.
    var hasOrder: Bool { orderStart < order.count }

    /// The request whose reply's turn it is.
    var next: UInt32? { hasOrder ? order[orderStart] : nil }

    /// The request with this token.
    subscript(token: UInt32) -> Slot {
        get { slots[Int(token)] }
        _modify { yield &slots[Int(token)] }
    }

    /// Takes a request in and gives it a token, which is free again after ``release(_:)``.
    mutating func insert(_ slot: Slot) -> UInt32 {
        let token: UInt32
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
        if slot.isOrdered { order.append(token) }
        return token
    }

    /// Bytes of the lines of all requests whose reply has not come.
    private(set) var lineBytes = 0
    /// Those of them that may wait for long.
    private(set) var waiting = 0
    /// Bytes of the lines of those.
    private(set) var waitingBytes = 0

    /// The reply has come: how many bytes the request's line had.
    mutating func takeLineBytes(_ token: UInt32) -> Int {
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

    /// Lets go of an answered request.
    mutating func release(_ token: UInt32) {
        slots[Int(token)].held = nil
        free.append(token)
    }

    /// Moves the turn on.
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

    /// Gives memory back when nothing is outstanding.
    mutating func releaseIdleMemory() {
        if count == 0 && slots.capacity > 16 { self = RequestTable() }
    }
}
