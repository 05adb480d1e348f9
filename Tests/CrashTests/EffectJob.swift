import GroveTestSupport
import OrderedJSON

/// The events that one client sends to one instance. The client sends the next one after the ack of
/// the one before, and repeats each under its key until its ack.
struct EffectJob {
    /// One event.
    struct Move {
        var key: String
        /// The event as JSON.
        var event: String
        /// Whether the event goes to the order's current parcel instead of the order.
        var isForChild = false
    }

    /// The courses of an order. Together they request, end and abandon each effect in every way.
    enum Way: String, CaseIterable {
        /// Placed, then left until its timer fires.
        case waiting
        /// Paid by hand and delivered.
        case paid
        /// Charged and delivered.
        case charged
        /// Charged, lost, shipped again and delivered.
        case lost
        /// Charged, canceled and refunded.
        case refunded
        /// Charged, lost, canceled and refunded.
        case lostAndRefunded
        /// Charged, and the charge is declined.
        case declined
        /// Paid by hand, and still in transit in the end.
        case onTheWay
        /// Charged, and delivered by hand while its parcel is in transit.
        case byHand
    }

    let instance: String
    private(set) var moves: [Move] = []
    private var next = 0
    /// The order's current parcel, once known.
    private var child: String?
    /// The event that charges the order again after a permanent failure of the charge.
    private var recharge: String?

    /// Creates a job that only sends the events added later.
    init(instance: String) { self.instance = instance }

    /// Creates the job of an order.
    init(order name: String, way: Way, total: Int, url: String) {
        instance = "order/\(name)"
        let place = #"{"type":"place","total":\#(total)}"#
        let charge = #"{"type":"charge","url":"\#(url)","order":"\#(name)"}"#
        let pay = #"{"type":"pay","amount":\#(total)}"#
        let ship = #"{"type":"ship","track":"\#(name)-1"}"#
        let again = #"{"type":"ship","track":"\#(name)-2"}"#
        let cancel = #"{"type":"cancel","reason":"test"}"#
        let leave = "child leave"
        let script =
            switch way {
            case .waiting: [place]
            case .paid: [place, pay, ship, leave, "child deliver"]
            case .charged: [place, charge, ship, leave, "child deliver"]
            case .lost: [place, charge, ship, "child lose", again, leave, "child deliver"]
            case .refunded: [place, charge, cancel]
            case .lostAndRefunded: [place, charge, ship, leave, "child lose", cancel]
            case .declined: [place, charge]
            case .onTheWay: [place, pay, ship, leave]
            case .byHand: [place, charge, ship, leave, #""deliver""#]
            }
        if script.contains(charge) { recharge = charge }
        for event in script { add(event) }
    }

    /// Whether every event has been acknowledged.
    var isDone: Bool { next == moves.count }

    /// Adds another event to send. `child …` goes to the parcel.
    mutating func add(_ event: String) {
        moves.append(move(event))
    }

    private func move(_ event: String) -> Move {
        let key = "\(instance)#\(moves.count)"
        guard event.hasPrefix("child ") else { return Move(key: key, event: event) }
        return Move(key: key, event: #""\#(event.dropFirst(6))""#, isForChild: true)
    }

    // MARK: Requests

    /// The next event's target and key; `nil` if the target isn't known so far.
    var sending: Workload.Sent? {
        let move = moves[next]
        if !move.isForChild { return Workload.Sent(instance: instance, key: move.key) }
        return child.map { Workload.Sent(instance: $0, key: move.key) }
    }

    /// Returns the line to send now: the next event, or a request for the parcel that it goes to.
    func request(id: Int) -> String {
        guard let sending else { return #"{"op":"get","id":\#(id),"to":"\#(instance)"}"# }
        return #"{"op":"send","id":\#(id),"to":"\#(sending.instance)","#
            + #""event":\#(moves[next].event),"dedup":"\#(sending.key)"}"#
    }

    /// Reads the answer to ``request(id:)``.
    ///
    /// - Returns: Whether the job made progress.
    /// - Throws: `CheckFailure` for an unexpected answer.
    mutating func take(_ reply: JSONValue) throws -> Bool {
        guard sending != nil else {
            child = reply["effects"]?.array?.compactMap { $0["child"]?.string }.first
            return child != nil
        }
        if reply["ok"] == true {
            if moves[next].event.contains(#""ship""#) { child = nil }
            next += 1
            return true
        }
        let refusal = reply["error"]
        // The server shuts down. The refusal is definite, and the event is sent to the next server.
        if refusal?["code"] == "DRAINING" { return false }
        guard refusal?["code"] == "EVENT_REJECTED" else {
            throw CheckFailure("\(moves[next].key) was answered \(reply)")
        }
        // Too early: its charge or its parcel hasn't ended. Or the charge has failed permanently.
        if refusal?["data"]?["state"]?["status"] == "placed", let recharge {
            moves.insert(move(recharge), at: next)
        }
        return false
    }
}
