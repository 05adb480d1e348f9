public import Transducers

/// An order from placing to delivery: paid by hand or by a charge over HTTP, and canceled at any
/// time before shipping. Its parcel is a separate machine, the ``Shipment``.
///
/// It is done when it is delivered, canceled or expired; its last output is its result. Its effects
/// are in `Order+Effects.swift`.
public enum Order: EffectTransducer, InitialState {
    /// The status of an order.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// Created; nothing is ordered yet.
        case new
        /// Placed, and not paid in full. Expires after ``Order/paymentTime``.
        case placed
        /// The amount due is being charged. The order doesn't expire, and accepts no payment.
        case charging
        /// Paid in full.
        case paid
        /// Given to the carrier.
        case shipped
        /// The parcel was lost: ship again, or cancel.
        case lost
        /// Canceled; the charge is being paid back.
        case cancelling
        /// Arrived: done.
        case delivered
        /// Canceled: done.
        case cancelled
        /// Not paid in time: done.
        case expired

        /// The events that clients may send in this status, without those of its own effects.
        var accepts: [String] {
            switch self {
            case .new: ["place"]
            case .placed: ["pay", "charge", "cancel"]
            case .paid, .lost: ["ship", "cancel"]
            case .shipped: ["deliver"]
            case .cancelling: ["refunded"]
            case .charging, .delivered, .cancelled, .expired: []
            }
        }
    }

    /// The state of an order. Amounts are integers in the smallest unit of their currency.
    public struct State: Terminable, Codable, Equatable, Sendable {
        /// The status.
        public var status: Status = .new
        /// The price; 0 before it is placed.
        public var total = 0
        /// The total paid; never more than `total`.
        public var paid = 0
        /// The charged part of `paid`; `nil` for none.
        public var charged: Int?
        /// The parcel's number, after shipping.
        public var track: String?
        /// The reason it was canceled for, after that.
        public var reason: String?

        /// A new order.
        public init() {}

        /// The amount still to be paid.
        var due: Int { total - paid }

        /// Whether it was delivered or cancelled, or has expired.
        public var isTerminal: Bool {
            status == .delivered || status == .cancelled || status == .expired
        }
    }

    /// The effect, if any, and the output of a step.
    public typealias Step = (Self.Effect?, Output)

    /// A new order.
    public static var initialState: State { State() }

    /// Applies one event.
    ///
    /// - Throws: `Rejection` for an event that the status doesn't accept, a total or amount outside
    ///   1 to 2^53 − 1, and a payment above the amount due.
    public static func update(_ state: inout State, event: Event) throws -> Step {
        switch (state.status, event) {
        case (.new, .place(let total)):
            return try place(&state, total: total)
        case (.placed, .pay(let amount)):
            return try pay(&state, amount: amount)
        case (.placed, .charge(let url, let order)):
            return try charge(&state, url: url, order: order)
        case (.charging, .charged):
            return charged(&state)
        case (.placed, .expire):
            state.status = .expired
            return (nil, .expired(refund: state.paid))
        case (.paid, .ship(let track)), (.lost, .ship(let track)):
            return ship(&state, track: track)
        case (.shipped, .deliver), (.shipped, .parcel(.delivered)):
            state.status = .delivered
            return (nil, .delivered)
        case (.shipped, .parcel(.lost)):
            state.status = .lost
            return (nil, .lost)
        case (.placed, .cancel(let reason)), (.paid, .cancel(let reason)),
            (.lost, .cancel(let reason)):
            return cancel(&state, reason: reason)
        case (.cancelling, .refunded):
            return refunded(&state)
        case (_, .failed(let work, let reason)):
            return try failed(&state, work, reason: reason)
        default:
            throw refusal(of: event, in: state)
        }
    }

    // MARK: Steps

    private static func place(_ state: inout State, total: Int) throws(Rejection) -> Step {
        guard (1...Int.exactMax).contains(total) else {
            throw refusal("the total must be from 1 to 2^53 - 1", state)
        }
        state.status = .placed
        state.total = total
        return (paymentTimer, .placed)
    }

    private static func pay(_ state: inout State, amount: Int) throws(Rejection) -> Step {
        let due = state.due
        guard amount >= 1 else { throw refusal("the amount must be positive", state) }
        guard amount <= due else { throw refusal("only \(due) is due", state) }
        state.paid += amount
        let output = Output.payment(paid: state.paid, due: state.due)
        guard state.due == 0 else { return (nil, output) }
        state.status = .paid
        return (.cancel(id: paymentID), output)
    }

    private static func charge(
        _ state: inout State, url: String, order: String?
    ) throws -> Step {
        state.status = .charging
        // No timer meanwhile: a charge that succeeds after the order expired would buy nothing.
        let effect = Effect.parallel(
            .cancel(id: paymentID), try charge(state.due, at: url, order: order))
        return (effect, .charging(amount: state.due))
    }

    private static func charged(_ state: inout State) -> Step {
        state.charged = state.due
        state.paid = state.total
        state.status = .paid
        return (nil, .payment(paid: state.paid, due: 0))
    }

    private static func ship(_ state: inout State, track: String) -> Step {
        state.status = .shipped
        state.track = track
        return (parcel(track: track), .shipped)
    }

    private static func cancel(_ state: inout State, reason: String) -> Step {
        state.reason = reason
        guard let charged = state.charged else {
            state.status = .cancelled
            return (nil, .cancelled(refund: state.paid))
        }
        // Not done yet: a done instance has no effects, and couldn't undo the charge.
        state.status = .cancelling
        return (.sequence(.compensate(), .event(.refunded)), .refunding(amount: charged))
    }

    private static func refunded(_ state: inout State) -> Step {
        state.status = .cancelled
        return (nil, .cancelled(refund: state.paid - (state.charged ?? 0)))
    }

    private static func failed(
        _ state: inout State, _ work: Work, reason: String
    ) throws(Rejection) -> Step {
        let output = Output.failed(work: work, reason: reason)
        switch (state.status, work) {
        case (.charging, .charge):
            state.status = .placed
            return (paymentTimer, output)
        case (.shipped, .parcel), (.cancelling, .refund):
            return (nil, output)
        default:
            throw refusal(of: .failed(work: work, reason: reason), in: state)
        }
    }

    // MARK: Refusals

    private static func refusal(of event: Event, in state: State) -> Rejection {
        refusal("an order that is \(state.status.rawValue) doesn't take \(event.name)", state)
    }

    private static func refusal(_ reason: String, _ state: State) -> Rejection {
        Rejection(reason, accepts: state.status.accepts)
    }
}
