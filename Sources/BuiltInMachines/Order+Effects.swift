public import Transducers

// An order's effects, and the events for their results.

extension Order {
    /// How long an order waits to be paid: 30 minutes.
    public static let paymentTime = Duration.seconds(1_800)

    /// The id of the timer for the payment.
    static let paymentID = "payment"
    /// The id of the charge over HTTP.
    static let chargeID = "charge"
    /// The id of the child machine, the parcel.
    static let parcelID = "parcel"

    static var paymentTimer: Effect {
        .after(paymentTime, id: paymentID, .expire)
    }

    /// Charges an amount: a `POST` of `{"order":…,"amount":…}`, with five attempts. The undo
    /// sends the same body to `url` plus `/refund`.
    static func charge(_ amount: Int, at url: String, order: String?) throws -> Effect {
        func post(_ url: String) throws -> HTTPRequest {
            try HTTPRequest(
                method: "POST", url: url, encoding: Charge(order: order, amount: amount))
        }
        return .perform(
            "http", id: chargeID, argument: try post(url), then: "charged",
            retry: RetryPolicy(attemptsMax: 5), timeout: .seconds(20),
            undo: EffectUndo("http", argument: try post(url + "/refund")))
    }

    /// The body of a request to the payment service.
    private struct Charge: Encodable {
        var order: String?
        var amount: Int
    }

    /// Starts the parcel's machine. Its last output returns as ``Event/parcel(_:)``.
    static func parcel(track: String) -> Effect {
        .start(
            "shipment", id: parcelID, input: Shipment.Event.pack(track: track),
            then: "parcel")
    }

    /// Returns the event for a result. Any result of a charge means success, because the handler
    /// counts every status but 2xx as a failure. A parcel's result is its machine's last output.
    /// A single refund has no event: ``Event/refunded`` follows when all undos are done.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        switch result.then {
        case "charged": .charged
        case "parcel": .parcel(try result.decoded())
        default: nil
        }
    }

    /// Returns the event for a failure. The undo of a charge has no id.
    public static func effectFailed(_ failure: EffectFailure) -> Event? {
        let work: Work? =
            switch failure.id?.id as? String {
            case chargeID: .charge
            case parcelID: .parcel
            case nil: .refund
            default: nil
            }
        return work.map { .failed(work: $0, reason: "\(failure.error)") }
    }
}
