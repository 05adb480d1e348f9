import GroveTestSupport
import OrderedJSON

/// What one client does with one instance, one event after the other: the next is sent when the
/// one before was acknowledged, and repeated under its key until it is.
struct EffectJob {
    /// One event.
    struct Move {
        var key: String
        /// As JSON.
        var event: String
        /// Whether it goes to the order's present parcel and not to the order.
        var isForChild = false
    }

    /// The ways of an order, so that each effect is asked for, ended and given up in every way.
    enum Way: String, CaseIterable {
        /// Placed, and left to its timer.
        case waiting
        /// Paid by hand and delivered.
        case paid
        /// Charged and delivered.
        case charged
        /// Charged, lost, shipped again and delivered.
        case lost
        /// Charged, called off and refunded.
        case refunded
        /// Charged, lost, called off and refunded.
        case lostAndRefunded
        /// Charged, and declined.
        case declined
        /// Paid by hand, and still on its way in the end.
        case onTheWay
        /// Charged, and delivered by hand while its parcel is on its way.
        case byHand
    }

    let instance: String
    private(set) var moves: [Move] = []
    private var next = 0
    /// The order's present parcel, once known.
    private var child: String?
    /// Where an order is to be charged again when a charge has failed for good.
    private var recharge: String?

    /// One that only does what later events say.
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

    /// Has it send another event; `child …` goes to the parcel.
    mutating func add(_ event: String) {
        moves.append(move(event))
    }

    private func move(_ event: String) -> Move {
        let key = "\(instance)#\(moves.count)"
        guard event.hasPrefix("child ") else { return Move(key: key, event: event) }
        return Move(key: key, event: #""\#(event.dropFirst(6))""#, isForChild: true)
    }

    // MARK: Requests

    /// Where the next event goes, and its key; `nil` when it is to be found out first.
    var sending: Workload.Sent? {
        let move = moves[next]
        if !move.isForChild { return Workload.Sent(instance: instance, key: move.key) }
        return child.map { Workload.Sent(instance: $0, key: move.key) }
    }

    /// The line to send now: the next event, or the question for the parcel that it goes to.
    func request(id: Int) -> String {
        guard let sending else { return #"{"op":"get","id":\#(id),"to":"\#(instance)"}"# }
        return #"{"op":"send","id":\#(id),"to":"\#(sending.instance)","#
            + #""event":\#(moves[next].event),"dedup":"\#(sending.key)"}"#
    }

    /// Takes the answer to ``request(id:)``.
    ///
    /// - Returns: Whether it has come further.
    /// - Throws: `CheckFailure` for one that there is no reason for.
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
        // The server shuts down: a definite refusal, and the same is sent to the next one.
        if refusal?["code"] == "DRAINING" { return false }
        guard refusal?["code"] == "EVENT_REJECTED" else {
            throw CheckFailure("\(moves[next].key) was answered \(reply)")
        }
        // Too early: its charge or its parcel is under way. Or the charge has failed for good.
        if refusal?["data"]?["state"]?["status"] == "placed", let recharge {
            moves.insert(move(recharge), at: next)
        }
        return false
    }
}
