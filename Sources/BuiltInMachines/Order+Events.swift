extension Order {
    /// Events that only an order's own effects may send.
    public static let internalEvents = ["expire", "charged", "parcel", "failed"]

    /// The events of an order. Clients send the first six. The others come from its own effects;
    /// of these, clients may send only ``Event/refunded``.
    public enum Event: Codable, Equatable, Sendable {
        /// Places the order; `total` is 1 or more.
        case place(total: Int)
        /// Pays from 1 up to the amount due.
        case pay(amount: Int)
        /// Charges the amount due by a request to `url`. The request names the `order`, if one is
        /// given: a machine doesn't know the name of its instance.
        case charge(url: String, order: String?)
        /// Gives the parcel with this number to the carrier.
        case ship(track: String)
        /// Gives it to the buyer.
        case deliver
        /// Cancels the order.
        case cancel(reason: String)

        /// The time to pay is over.
        case expire
        /// The charge succeeded.
        case charged
        /// The parcel's machine has ended with this status.
        case parcel(Shipment.Status)
        /// The charge has been paid back. Sent by a person after a manual refund.
        case refunded
        /// An effect has failed permanently.
        case failed(work: Work, reason: String)

        var name: String {
            switch self {
            case .place: "place"
            case .pay: "pay"
            case .charge: "charge"
            case .ship: "ship"
            case .deliver: "deliver"
            case .cancel: "cancel"
            case .expire: "expire"
            case .charged: "charged"
            case .parcel: "parcel"
            case .refunded: "refunded"
            case .failed: "failed"
            }
        }
    }

    /// The effects of an order that can fail.
    public enum Work: String, Codable, Sendable {
        /// Charging the amount due.
        case charge
        /// The parcel's machine.
        case parcel
        /// Paying back the charge.
        case refund
    }

    /// The outputs of an order.
    public enum Output: Codable, Equatable, Sendable {
        /// The order was placed.
        case placed
        /// `amount` is being charged.
        case charging(amount: Int)
        /// A payment arrived: the total paid, and the amount still due.
        case payment(paid: Int, due: Int)
        /// The parcel was shipped.
        case shipped
        /// The parcel arrived.
        case delivered
        /// The parcel was lost.
        case lost
        /// The order was canceled; the charged `amount` is being paid back.
        case refunding(amount: Int)
        /// The order was canceled; `refund` must be paid back by hand.
        case cancelled(refund: Int)
        /// The order wasn't paid in time; `refund` must be paid back by hand.
        case expired(refund: Int)
        /// An effect has failed permanently; a person should check it.
        case failed(work: Work, reason: String)
    }
}
