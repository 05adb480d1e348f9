import GroveWire

/// Decides which calls may be sent on the present connection, and which wait for other calls about
/// the same instance. A value, without I/O or time.
///
/// A call that the server has postponed stops the queue of its instance: none is sent until a pause
/// is over and all that were sent are answered. Then the oldest call is sent alone, and the others
/// after its answer. So only calls that were under way at the time of the refusal can come before
/// the one that was postponed.
///
/// Where somebody may have to act before the server accepts it, as for a suspended instance, calls
/// that are refused for no such reason don't wait: they may be the acts.
struct InstanceOrder: Sendable {
    /// The calls that keep their order: those about one instance, or one call about none.
    enum Key: Hashable, Sendable {
        case instance(String)
        case call(Int)
    }

    private enum Phase {
        case open
        /// Until the pause is over.
        case paused
        /// Until everything under way is answered.
        case gathering
        /// Until the one that was sent again is answered.
        case probing
    }

    private struct CallQueue {
        var phase = Phase.open
        var underWay = 0
        /// Calls that wait, in their order. A slice: removing the first ones moves no others.
        var held: ArraySlice<Call> = []
        /// The number of postponed calls in a row.
        var stops = 0
        /// The refusal that has stopped it, if somebody may have to act.
        var refusal: ServerError?
    }

    private let isOneByOne: Bool
    private var queues: [Key: CallQueue] = [:]

    /// No calls yet.
    init(order: RetryPolicy.Order) { isOneByOne = order == .oneByOne }

    /// Whether nothing is under way and nothing waits.
    var isEmpty: Bool { queues.isEmpty }

    /// The queue of a call. One that waits for a state delays no other.
    static func key(of call: Call) -> Key {
        guard let instance = call.request.instance, call.request.known != .await, !call.isAside
        else {
            return .call(call.order)
        }
        return .instance(instance)
    }

    /// Whether a new call may be sent now; otherwise it is held.
    mutating func admit(_ call: inout Call) -> Bool {
        let key = InstanceOrder.key(of: call)
        // Out of the dictionary while it changes, so that thousands of calls aren't copied.
        var queue = queues.removeValue(forKey: key) ?? CallQueue()
        let isNext = queue.phase == .open && queue.held.isEmpty
        if isNext && !(isOneByOne && queue.underWay > 0) {
            queue.underWay += weight(call)
            queues[key] = queue
            return true
        }
        if queue.refusal != nil, call.request.passesBy {
            queues[key] = queue
            setAside(&call)
            return true
        }
        queue.held.append(call)
        queues[key] = queue
        return false
    }

    /// Ends a call that has its answer; returns the calls that may be sent now.
    mutating func complete(_ call: Call) -> [Call] {
        let key = InstanceOrder.key(of: call)
        guard var queue = queues.removeValue(forKey: key) else { return [] }
        queue.underWay -= weight(call)
        // The answer to a call that waits on the server doesn't count as the probe's.
        let isProbe = queue.phase == .probing && (weight(call) > 0 || queue.underWay == 0)
        if isProbe || queue.phase == .open {
            queue.phase = .open
            queue.stops = 0
            queue.refusal = nil
        }
        return release(&queue, key)
    }

    /// Gives a call that doesn't wait a queue of its own, as one that is under way.
    private mutating func setAside(_ call: inout Call) {
        call.isAside = true
        queues[InstanceOrder.key(of: call), default: CallQueue()].underWay += weight(call)
    }

    /// Holds a call again that the server has postponed.
    ///
    /// - Returns: The number of stops in a row if a pause has to begin, `nil` if the queue was
    ///   stopped already; and the calls that don't wait for it.
    mutating func postpone(
        _ call: Call, after error: ServerError
    ) -> (stops: Int?, passing: [Call]) {
        let key = InstanceOrder.key(of: call)
        var queue = queues.removeValue(forKey: key) ?? CallQueue()
        queue.underWay -= weight(call)
        let index = queue.held.firstIndex { $0.order > call.order } ?? queue.held.endIndex
        queue.held.insert(call, at: index)
        // The last one under way may be postponed after a pause for another one is over.
        let isStopped =
            queue.phase == .open || queue.phase == .probing
            || (queue.phase == .gathering && queue.underWay == 0)
        if isStopped {
            queue.phase = .paused
            queue.stops += 1
        }
        var passing: [Call] = []
        queue.refusal = error.isOfHold ? error : nil
        if error.isOfHold {
            passing = queue.held.filter { $0.request.passesBy && $0.order != call.order }
            let orders = Set(passing.map(\.order))
            if !orders.isEmpty { queue.held.removeAll { orders.contains($0.order) } }
        }
        queues[key] = queue
        for place in passing.indices { setAside(&passing[place]) }
        return (isStopped ? queue.stops : nil, passing)
    }

    /// Ends the pause of a queue; returns the calls that may be sent now.
    mutating func resume(_ key: Key) -> [Call] {
        guard queues[key]?.phase == .paused, var queue = queues.removeValue(forKey: key) else {
            return []
        }
        queue.phase = .gathering
        return release(&queue, key)
    }

    /// Removes all calls that wait, because the connection is gone.
    mutating func removeAll() -> [Call] {
        defer { queues = [:] }
        return queues.values.flatMap(\.held)
    }

    /// Removes the waiting calls whose deadline has passed.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Call] {
        var expired: [Call] = []
        for key in queues.keys {
            guard var queue = queues.removeValue(forKey: key) else { continue }
            expired += queue.held.filter { $0.deadline <= now }.map { held in
                var call = held
                call.lastError = call.lastError ?? Self.reason(call, queue)
                return call
            }
            queue.held.removeAll { $0.deadline <= now }
            queues[key] = isOver(queue) ? nil : queue
        }
        return expired
    }

    /// Why a call that was never sent has waited.
    private static func reason(_ call: Call, _ queue: CallQueue) -> ClientError {
        queue.refusal.map { .server($0) }
            ?? .unavailable("not sent within \(call.timeout): a call before it has no answer")
    }

    /// The earliest deadline of a call that waits.
    var nextDeadline: ContinuousClock.Instant? {
        queues.values.compactMap { $0.held.map(\.deadline).min() }.min()
    }

    /// Puts a queue back, and returns its calls that may be sent now.
    private mutating func release(_ queue: inout CallQueue, _ key: Key) -> [Call] {
        let calls = release(&queue)
        if !isOver(queue) { queues[key] = queue }
        return calls
    }

    private func release(_ queue: inout CallQueue) -> [Call] {
        if queue.phase == .gathering, queue.underWay == 0 { queue.phase = .probing }
        guard queue.phase == .open || queue.phase == .probing else { return [] }
        let underWayMax = isOneByOne || queue.phase == .probing ? 1 : Int.max
        var released: [Call] = []
        while queue.underWay < underWayMax, let next = queue.held.popFirst() {
            queue.underWay += weight(next)
            released.append(next)
        }
        return released
    }

    /// A call that the server may answer much later delays the others only if each waits for the
    /// one before it.
    private func weight(_ call: Call) -> Int { !call.request.waitsOnServer || isOneByOne ? 1 : 0 }

    /// Whether the queue can be dropped; one that is still paused can't.
    private func isOver(_ queue: CallQueue) -> Bool {
        queue.underWay == 0 && queue.held.isEmpty && queue.phase != .paused
    }
}
