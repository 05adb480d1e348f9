public import Transducers

// What an order asks the outside for, and which events come of it.

extension Order {
    /// How long an order waits to be paid: 30 minutes.
    public static let paymentTime = Duration.seconds(1_800)

    /// The ids of an order's effects.
    enum EffectName {
        /// The time to pay.
        static let payment = "payment"
        /// The charge over HTTP.
        static let charge = "charge"
        /// The child that is the parcel.
        static let parcel = "parcel"
    }

    static var paymentTimer: Effect {
        .after(paymentTime, id: EffectName.payment, .expire)
    }

    /// Charges an amount: a `POST` of `{"order":…,"amount":…}`, tried five times. It is undone by
    /// the same to `url` with `/refund` behind it.
    static func charge(_ amount: Int, at url: String, order: String?) throws -> Effect {
        func post(_ url: String) throws -> HTTPRequest {
            try HTTPRequest(
                method: "POST", url: url, encoding: Charge(order: order, amount: amount))
        }
        return .perform(
            "http", id: EffectName.charge, argument: try post(url), then: "charged",
            retry: RetryPolicy(attemptsMax: 5), timeout: .seconds(20),
            undo: EffectUndo("http", argument: try post(url + "/refund")))
    }

    /// What the payment service is told.
    private struct Charge: Encodable {
        var order: String?
        var amount: Int
    }

    /// Starts the parcel's machine. Its last output comes back as ``Event/parcel(_:)``.
    static func parcel(track: String) -> Effect {
        .start(
            "shipment", id: EffectName.parcel, input: Shipment.Event.pack(track: track),
            then: "parcel")
    }

    /// The event that a result becomes: a charge that has a result has been made, because the
    /// handler counts every answer but 2xx as a failure; and a parcel's end is what its machine
    /// said last. A refund has no event of its own: what is said about it is said when all are
    /// done.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        switch result.then {
        case "charged": .charged
        case "parcel": .parcel(try result.decoded())
        default: nil
        }
    }

    /// The event that tells of a failure. What undoes a charge has no id.
    public static func effectFailed(_ failure: EffectFailure) -> Event? {
        let work: Work? =
            switch failure.id?.id as? String {
            case EffectName.charge: .charge
            case EffectName.parcel: .parcel
            case nil: .refund
            default: nil
            }
        return work.map { .failed(work: $0, reason: "\(failure.error)") }
    }
}
