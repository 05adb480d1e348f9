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
    static func charge(_ amount: Int, at url: String, order: String?) -> Effect {
        let body = HTTPPost.Body(order: order, amount: amount)
        return .perform(
            "http", id: EffectName.charge, argument: HTTPPost(url: url, body: body),
            then: "charged", retry: RetryPolicy(attemptsMax: 5), timeout: .seconds(20),
            undo: EffectUndo("http", argument: HTTPPost(url: url + "/refund", body: body)))
    }

    /// Starts the parcel's machine. Its last output comes back as ``Event/parcel(_:)``.
    static func parcel(track: String) -> Effect {
        .start(
            "shipment", id: EffectName.parcel, input: Shipment.Event.pack(track: track),
            then: "parcel")
    }

    /// The event that a result becomes: a charge that was answered with 2xx has been made, and a
    /// parcel's end is what its machine said last. A refund has no event of its own: what is said
    /// about it is said when all are done.
    ///
    /// - Throws: ``Declined`` for a charge or a refund with another answer. Then the effect has
    ///   failed, which is what makes the difference later: only what has succeeded is undone.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        switch result.then {
        case "charged":
            try checkAnswer(result)
            return .charged
        case "parcel":
            return .parcel(try result.decoded())
        default:
            try checkAnswer(result)
            return nil
        }
    }

    private static func checkAnswer(_ result: EffectResult) throws {
        let answer: HTTPAnswer = try result.decoded()
        guard (200...299).contains(answer.status) else { throw Declined(status: answer.status) }
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

    /// A charge or refund was answered, but not with 2xx.
    public struct Declined: Error, Equatable, CustomStringConvertible {
        /// The answer's status.
        public let status: Int

        /// With this answer.
        public init(status: Int) { self.status = status }

        /// What happened.
        public var description: String { "the request was declined with status \(status)" }
    }
}

/// What the handler `http` gets.
private struct HTTPPost: Encodable, Sendable {
    struct Body: Encodable, Sendable {
        var order: String?
        var amount: Int
    }

    let method = "POST"
    var url: String
    var body: Body
}

/// What an order reads of the handler's result.
private struct HTTPAnswer: Decodable {
    var status: Int
}
