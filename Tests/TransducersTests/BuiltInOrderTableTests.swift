import BuiltInMachines
import OrderedJSON
import Testing
import Transducers

/// An order in every status with every event.
enum OrderTable {
    /// Events of each kind, good for an order of 30 of which 10 are paid.
    static let events: [Order.Event] = [
        .place(total: 30), .pay(amount: 5), .pay(amount: 20),
        .charge(url: "https://pay", order: "o-1"),
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
            .placed, .pay(amount: 20), .paid, .payment(paid: 30, due: 0),
            effect: "cancel id(\"payment\")"),
        Row(
            .placed, .charge(url: "https://pay", order: "o-1"), .charging, .charging(amount: 20),
            effect: "cancel id(\"payment\"), perform charge"),
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
            #expect(try Order.update(&state, event: event).1 == row.output)
            #expect(state.status == row.goesTo)
            let effects = try BuiltInEffects.of(event, at: before, in: "order")
            #expect(BuiltInEffects.summary(effects) == row.effect, "\(event)")
        }
    }

    @Test func `a cancellation undoes a charge, also of a lost parcel`() throws {
        var state = try OrderTable.order(.charging)
        _ = try Order.update(&state, event: .charged)
        let paid = state
        _ = try Order.update(&state, event: .ship(track: "T-1"))
        _ = try Order.update(&state, event: .parcel(.lost))
        for before in [paid, state] {
            var state = before
            let cancel = Order.Event.cancel(reason: "late")
            #expect(try Order.update(&state, event: cancel).1 == .refunding(amount: 20))
            #expect(state.status == .cancelling)
            let effects = try BuiltInEffects.of(cancel, at: before, in: "order")
            #expect(BuiltInEffects.summary(effects) == "(compensate, event refunded)")
        }
    }
}

@Suite("Effects of an order")
struct BuiltInOrderEffectTests {
    @Test func `a charge declares its request and its undoing`() throws {
        let charge = Order.Event.charge(url: "https://pay.example/c", order: "o-1")
        let effects = try BuiltInEffects.of(charge, at: OrderTable.order(.placed), in: "order")
        guard case .start(let run)? = effects.last, case .perform("http", let argument) = run.work
        else { throw Rejection("a charge is a request") }
        let body: JSONValue = ["order": "o-1", "amount": 20]
        #expect(
            argument == ["method": "POST", "url": "https://pay.example/c", "body": body])
        #expect(
            run.undo?.argument
                == ["method": "POST", "url": "https://pay.example/c/refund", "body": body])
        #expect(run.undo?.handler == "http")
        #expect(run.then == "charged")
        #expect(run.retry.attemptsMax == 5)
        #expect(run.timeout == 20_000)
    }

    @Test func `an order that isn't named isn't in the request`() throws {
        let charge = Order.Event.charge(url: "https://pay", order: nil)
        let effects = try BuiltInEffects.of(charge, at: OrderTable.order(.placed), in: "order")
        guard case .start(let run)? = effects.last, case .perform("http", let argument) = run.work,
            case .object(let request) = argument
        else { throw Rejection("a charge is a request") }
        #expect(request["body"] == ["amount": 20])
    }

    @Test func `the time to pay is half an hour`() throws {
        let effects = try BuiltInEffects.of(
            Order.Event.place(total: 30), at: Order.initialState, in: "order")
        guard case .start(let run)? = effects.first else { throw Rejection("there is no timer") }
        #expect(run.work == .after(milliseconds: 1_800_000, event: "expire"))
        #expect(Order.paymentTime == .seconds(1_800))
    }

    @Test func `a parcel is a shipment that is packed`() throws {
        let effects = try BuiltInEffects.of(
            Order.Event.ship(track: "T-1"), at: OrderTable.order(.paid), in: "order")
        guard case .start(let run)? = effects.first else { throw Rejection("there is no child") }
        #expect(
            run.work
                == .start(
                    machine: "shipment", instance: nil,
                    input: ["type": "pack", "track": "T-1"], detached: false))
        #expect(run.then == "parcel")
    }
}
