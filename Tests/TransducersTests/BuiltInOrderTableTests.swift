import BuiltInMachines
import Testing
import Transducers

/// What an order does in every status on every event.
enum OrderTable {
    /// One event of each kind, each good for an order of 30 of which 10 are paid; and one of each
    /// kind of failure and of a parcel's end.
    static let events: [Order.Event] = [
        .place(total: 30), .pay(amount: 5), .charge(url: "https://pay", order: "o-1"),
        .ship(track: "T-1"), .deliver, .cancel(reason: "late"), .expire, .charged,
        .parcel(.delivered), .parcel(.lost), .parcel(.packed), .refunded,
        .failed(work: .charge, reason: "busy"), .failed(work: .parcel, reason: "stopped"),
        .failed(work: .refund, reason: "closed"),
    ]

    /// What one pair of status and event does: the status after it, the output, and the kinds and
    /// ids of what is asked for.
    struct Row {
        var status: Order.Status
        var event: Order.Event
        var goesTo: Order.Status
        var output: Order.Output
        var effect: String

        init(
            _ status: Order.Status, _ event: Order.Event, _ goesTo: Order.Status,
            _ output: Order.Output, effect: String = ""
        ) {
            self.status = status
            self.event = event
            self.goesTo = goesTo
            self.output = output
            self.effect = effect
        }
    }

    /// Every pair that isn't refused.
    static let rows: [Row] = [
        Row(.new, .place(total: 30), .placed, .placed, effect: "after payment"),
        Row(.placed, .pay(amount: 5), .placed, .payment(paid: 15, due: 15)),
        Row(
            .placed, .charge(url: "https://pay", order: "o-1"), .charging, .charging(amount: 20),
            effect: "cancel payment, perform charge"),
        Row(.placed, .cancel(reason: "late"), .cancelled, .cancelled(refund: 10)),
        Row(.placed, .expire, .expired, .expired(refund: 10)),
        Row(.charging, .charged, .paid, .payment(paid: 30, due: 0)),
        Row(
            .charging, .failed(work: .charge, reason: "busy"), .placed,
            .failed(work: .charge, reason: "busy"), effect: "after payment"),
        Row(.paid, .ship(track: "T-1"), .shipped, .shipped, effect: "start parcel"),
        Row(.paid, .cancel(reason: "late"), .cancelled, .cancelled(refund: 30)),
        Row(.shipped, .deliver, .delivered, .delivered),
        Row(.shipped, .parcel(.delivered), .delivered, .delivered),
        Row(.shipped, .parcel(.lost), .lost, .lost),
        Row(
            .shipped, .failed(work: .parcel, reason: "stopped"), .shipped,
            .failed(work: .parcel, reason: "stopped")),
        Row(.lost, .ship(track: "T-1"), .shipped, .shipped, effect: "start parcel"),
        Row(.lost, .cancel(reason: "late"), .cancelled, .cancelled(refund: 30)),
        Row(.cancelling, .refunded, .cancelled, .cancelled(refund: 10)),
        Row(
            .cancelling, .failed(work: .refund, reason: "closed"), .cancelling,
            .failed(work: .refund, reason: "closed")),
    ]

    static let accepts: [Order.Status: [String]] = [
        .new: ["place"], .placed: ["pay", "charge", "cancel"], .charging: [],
        .paid: ["ship", "cancel"], .shipped: ["deliver"], .lost: ["ship", "cancel"],
        .cancelling: ["refunded"], .delivered: [], .cancelled: [], .expired: [],
    ]

    /// An order of 30 that got to `status` by its events. 10 are paid while it is `placed`; the
    /// others are paid by hand, and charged where only that leads there.
    static func order(_ status: Order.Status) throws -> Order.State {
        let toPlaced: [Order.Event] = [.place(total: 30), .pay(amount: 10)]
        let toCharging = toPlaced + [.charge(url: "https://pay", order: nil)]
        let toPaid = toPlaced + [.pay(amount: 20)]
        let toShipped = toPaid + [.ship(track: "T-0")]
        let cancel = Order.Event.cancel(reason: "changed my mind")
        let events: [Order.Event] =
            switch status {
            case .new: []
            case .placed: toPlaced
            case .charging: toCharging
            case .paid: toPaid
            case .shipped: toShipped
            case .lost: toShipped + [.parcel(.lost)]
            case .cancelling: toCharging + [.charged, cancel]
            case .delivered: toShipped + [.deliver]
            case .cancelled: toPlaced + [cancel]
            case .expired: toPlaced + [.expire]
            }
        var state = Order.initialState
        for event in events { _ = try Order.update(&state, event: event) }
        #expect(state.status == status)
        return state
    }
}

@Suite("Every step of an order")
struct BuiltInOrderTableTests {
    @Test func `the table has each pair at most once, and only events that are tried`() {
        for status in Order.Status.allCases {
            for event in OrderTable.events {
                let rows = OrderTable.rows.filter { $0.status == status && $0.event == event }
                #expect(rows.count <= 1, "\(status) and \(event)")
            }
        }
        #expect(OrderTable.rows.allSatisfy { OrderTable.events.contains($0.event) })
    }

    @Test(arguments: Order.Status.allCases)
    func `does what the table says, and refuses everything else`(status: Order.Status) throws {
        for event in OrderTable.events {
            let before = try OrderTable.order(status)
            var state = before
            let row = OrderTable.rows.first { $0.status == status && $0.event == event }
            guard let row else {
                let refusal = #expect(throws: Rejection.self, "\(event)") {
                    try Order.update(&state, event: event)
                }
                #expect(refusal?.accepts == OrderTable.accepts[status])
                #expect(state == before)
                continue
            }
            let (effect, output) = try Order.update(&state, event: row.event)
            #expect(output == row.output)
            #expect(state.status == row.goesTo)
            #expect(effect.map { EffectText.of($0) } ?? "" == row.effect, "\(event)")
        }
    }

    @Test func `what was charged is undone by a cancellation, also of a lost parcel`() throws {
        var state = try OrderTable.order(.charging)
        _ = try Order.update(&state, event: .charged)
        let paid = state
        _ = try Order.update(&state, event: .ship(track: "T-1"))
        _ = try Order.update(&state, event: .parcel(.lost))
        for before in [paid, state] {
            var state = before
            let (effect, output) = try Order.update(&state, event: .cancel(reason: "late"))
            #expect(output == .refunding(amount: 20))
            #expect(state.status == .cancelling)
            #expect(effect.map { EffectText.of($0) } == "compensate, event refunded")
        }
    }
}
