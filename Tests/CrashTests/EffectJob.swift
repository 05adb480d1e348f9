import GroveTestSupport
import OrderedJSON

/// The events that one client sends to one instance: each is sent when the one before was
/// acknowledged, and repeated under its key until then.
struct EffectJob {
    /// One event.
    struct Move {
        var key: String
        /// As JSON.
        var event: String
        /// Whether it goes to the order's present parcel instead of the order.
        var isForChild = false
    }

    /// The courses of an order: together they start, end and cancel each effect in every way.
    enum Way: String, CaseIterable {
        /// Placed, and never paid.
        case waiting
        /// Paid by hand and delivered.
        case paid
        /// Charged and delivered.
        case charged
        /// Charged, lost, shipped again and delivered.
        case lost
        /// Charged, cancelled and refunded.
        case refunded
        /// Charged, lost, cancelled and refunded.
        case lostAndRefunded
        /// Charged, and declined.
        case declined
        /// Paid by hand, and not delivered in the end.
        case onTheWay
        /// Charged, and delivered by hand before its parcel arrives.
        case byHand
    }

    let instance: String
    private(set) var moves: [Move] = []
    private var next = 0
    /// The order's present parcel, once known.
    private var child: String?
    /// The URL for the next charge after one has failed for good.
    private var recharge: String?

    /// A job without events so far.
    init(instance: String) { self.instance = instance }

    /// An order.
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

    /// Whether everything has been acknowledged.
    var isDone: Bool { next == moves.count }

    /// Adds an event; `child …` goes to the parcel.
    mutating func add(_ event: String) {
        moves.append(move(event))
    }

    private func move(_ event: String) -> Move {
        let key = "\(instance)#\(moves.count)"
        guard event.hasPrefix("child ") else { return Move(key: key, event: event) }
        return Move(key: key, event: #""\#(event.dropFirst(6))""#, isForChild: true)
    }

    // MARK: Requests

    /// The next event's target and key; `nil` if a request must find the target first.
    var sending: Workload.Sent? {
        let move = moves[next]
        if !move.isForChild { return Workload.Sent(instance: instance, key: move.key) }
        return child.map { Workload.Sent(instance: $0, key: move.key) }
    }

    /// The line to send now: the next event, or the request that finds its parcel.
    func request(id: Int) -> String {
        guard let sending else { return #"{"op":"get","id":\#(id),"to":"\#(instance)"}"# }
        return #"{"op":"send","id":\#(id),"to":"\#(sending.instance)","#
            + #""event":\#(moves[next].event),"dedup":"\#(sending.key)"}"#
    }

    /// Processes the reply to ``request(id:)``.
    ///
    /// - Returns: Whether the job has advanced.
    /// - Throws: `CheckFailure` for an unexpected reply.
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
        // The server is shutting down: nothing was applied, and the event is sent again.
        if refusal?["code"] == "DRAINING" { return false }
        guard refusal?["code"] == "EVENT_REJECTED" else {
            throw CheckFailure("\(moves[next].key) was answered \(reply)")
        }
        // Too early: its charge or parcel hasn't ended. Or the charge has failed for good.
        if refusal?["data"]?["state"]?["status"] == "placed", let recharge {
            moves.insert(move(recharge), at: next)
        }
        return false
    }
}
