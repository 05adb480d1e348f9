public import Transducers

/// An order from placing to delivery: paid in parts if need be, cancelled any time before it is
/// shipped. Delivered and cancelled orders are done, and their last output is their result.
public enum Order: Transducer, InitialState {
    /// Where an order stands.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// Made, but nothing is ordered yet.
        case new
        /// Ordered, not paid or not in full.
        case placed
        /// Paid in full.
        case paid
        /// On its way.
        case shipped
        /// Arrived: done.
        case delivered
        /// Called off: done.
        case cancelled

        /// The events that an order in this status takes.
        var accepts: [String] {
            switch self {
            case .new: ["place"]
            case .placed: ["pay", "cancel"]
            case .paid: ["ship", "cancel"]
            case .shipped: ["deliver"]
            case .delivered, .cancelled: []
            }
        }
    }

    /// What is known of an order. Amounts are whole, in the smallest unit of their currency.
    public struct State: Terminable, Codable, Equatable, Sendable {
        /// Where it stands.
        public var status: Status = .new
        /// What it costs; 0 before it is placed.
        public var total = 0
        /// What has been paid; never more than `total`.
        public var paid = 0
        /// The parcel's number, once shipped.
        public var track: String?
        /// Why it was cancelled, once it was.
        public var reason: String?

        /// A new order.
        public init() {}

        /// Whether it was delivered or cancelled.
        public var isTerminal: Bool { status == .delivered || status == .cancelled }
    }

    /// What can happen to an order.
    public enum Event: Codable, Equatable, Sendable {
        /// Orders something for 1 or more.
        case place(total: Int)
        /// Pays 1 or more, at most what is due.
        case pay(amount: Int)
        /// Hands the parcel of this number to the carrier.
        case ship(track: String)
        /// Hands it to the buyer.
        case deliver
        /// Calls the order off.
        case cancel(reason: String)

        var name: String {
            switch self {
            case .place: "place"
            case .pay: "pay"
            case .ship: "ship"
            case .deliver: "deliver"
            case .cancel: "cancel"
            }
        }
    }

    /// What others learn.
    public enum Output: Codable, Equatable, Sendable {
        /// It was placed.
        case placed
        /// A payment came: what has been paid in all, and what is still due.
        case payment(paid: Int, due: Int)
        /// It is on its way.
        case shipped
        /// It arrived.
        case delivered
        /// It was called off, and so much must be paid back.
        case cancelled(refund: Int)
    }

    /// Nothing ordered, nothing paid.
    public static var initialState: State { State() }

    /// Takes the order one event further.
    ///
    /// - Throws: `Rejection` for an event that the status doesn't take, a total or amount outside
    ///   1 to 2^53 − 1, and a payment of more than is due.
    public static func update(_ state: inout State, event: Event) throws -> Output {
        switch (state.status, event) {
        case (.new, .place(let total)):
            return try place(&state, total: total)
        case (.placed, .pay(let amount)):
            return try pay(&state, amount: amount)
        case (.paid, .ship(let track)):
            state.status = .shipped
            state.track = track
            return .shipped
        case (.shipped, .deliver):
            state.status = .delivered
            return .delivered
        case (.placed, .cancel(let reason)), (.paid, .cancel(let reason)):
            state.status = .cancelled
            state.reason = reason
            return .cancelled(refund: state.paid)
        default:
            throw refusal(of: event, in: state)
        }
    }

    private static func place(_ state: inout State, total: Int) throws(Rejection) -> Output {
        guard (1...WireInteger.max).contains(total) else {
            throw refusal("the total must be from 1 to 2^53 - 1", state)
        }
        state.status = .placed
        state.total = total
        return .placed
    }

    private static func pay(_ state: inout State, amount: Int) throws(Rejection) -> Output {
        let due = state.total - state.paid
        guard amount >= 1 else { throw refusal("the amount must be positive", state) }
        guard amount <= due else { throw refusal("only \(due) is due", state) }
        state.paid += amount
        if amount == due { state.status = .paid }
        return .payment(paid: state.paid, due: due - amount)
    }

    private static func refusal(of event: Event, in state: State) -> Rejection {
        refusal("an order that is \(state.status.rawValue) doesn't take \(event.name)", state)
    }

    private static func refusal(_ reason: String, _ state: State) -> Rejection {
        Rejection(reason, accepts: state.status.accepts)
    }
}
