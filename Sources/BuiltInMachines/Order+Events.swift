extension Order {
    /// What only an order's own effects say.
    public static let internalEvents = ["expire", "charged", "parcel", "failed"]

    /// What can happen to an order. The first six are for whoever deals with it, the others come
    /// from its own effects; of these only ``Event/refunded`` may be sent as well.
    public enum Event: Codable, Equatable, Sendable {
        /// Orders something for 1 or more.
        case place(total: Int)
        /// Pays 1 or more, at most what is due.
        case pay(amount: Int)
        /// Has what is due charged by a request to `url`. The request says which `order` it is
        /// for, if that is given: a machine doesn't know what its instance is called.
        case charge(url: String, order: String?)
        /// Hands the parcel of this number to the carrier.
        case ship(track: String)
        /// Hands it to the buyer.
        case deliver
        /// Calls the order off.
        case cancel(reason: String)

        /// The time to pay is over.
        case expire
        /// The charge was made.
        case charged
        /// The parcel's machine has ended so.
        case parcel(Shipment.Status)
        /// What was charged has been paid back. Also sent by hand, where it had to be done by
        /// hand.
        case refunded
        /// Work has failed for good.
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

    /// Work outside of an order that can fail.
    public enum Work: String, Codable, Sendable {
        /// Charging what is due.
        case charge
        /// The parcel on its way.
        case parcel
        /// Paying back what was charged.
        case refund
    }

    /// What others learn.
    public enum Output: Codable, Equatable, Sendable {
        /// It was placed.
        case placed
        /// So much is being charged.
        case charging(amount: Int)
        /// A payment came: what has been paid in all, and what is still due.
        case payment(paid: Int, due: Int)
        /// It is on its way.
        case shipped
        /// It arrived.
        case delivered
        /// The parcel was lost.
        case lost
        /// It was called off, and so much that was charged is being paid back.
        case refunding(amount: Int)
        /// It was called off, and so much must be paid back by hand.
        case cancelled(refund: Int)
        /// It was not paid in time, and so much must be paid back by hand.
        case expired(refund: Int)
        /// Work has failed for good, and somebody should look at it.
        case failed(work: Work, reason: String)
    }
}
