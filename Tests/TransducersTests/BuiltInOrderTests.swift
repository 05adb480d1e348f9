import BuiltInMachines
import Testing
import Transducers

@Suite("Order")
struct BuiltInOrderTests {
    /// One event of each kind, each good for an order of 30 of which 10 are paid.
    static let events: [Order.Event] = [
        .place(total: 30), .pay(amount: 5), .ship(track: "T-1"), .deliver, .cancel(reason: "late"),
    ]

    /// What one pair of status and event does: the status after it and the output, or `nil` for
    /// a refusal.
    typealias Row = (
        status: Order.Status, event: Order.Event, goesTo: Order.Status?, output: Order.Output?
    )

    static let table: [Row] = [
        (.new, .place(total: 30), .placed, .placed),
        (.new, .pay(amount: 5), nil, nil),
        (.new, .ship(track: "T-1"), nil, nil),
        (.new, .deliver, nil, nil),
        (.new, .cancel(reason: "late"), nil, nil),
        (.placed, .place(total: 30), nil, nil),
        (.placed, .pay(amount: 5), .placed, .payment(paid: 15, due: 15)),
        (.placed, .ship(track: "T-1"), nil, nil),
        (.placed, .deliver, nil, nil),
        (.placed, .cancel(reason: "late"), .cancelled, .cancelled(refund: 10)),
        (.paid, .place(total: 30), nil, nil),
        (.paid, .pay(amount: 5), nil, nil),
        (.paid, .ship(track: "T-1"), .shipped, .shipped),
        (.paid, .deliver, nil, nil),
        (.paid, .cancel(reason: "late"), .cancelled, .cancelled(refund: 30)),
        (.shipped, .place(total: 30), nil, nil),
        (.shipped, .pay(amount: 5), nil, nil),
        (.shipped, .ship(track: "T-1"), nil, nil),
        (.shipped, .deliver, .delivered, .delivered),
        (.shipped, .cancel(reason: "late"), nil, nil),
        (.delivered, .place(total: 30), nil, nil),
        (.delivered, .pay(amount: 5), nil, nil),
        (.delivered, .ship(track: "T-1"), nil, nil),
        (.delivered, .deliver, nil, nil),
        (.delivered, .cancel(reason: "late"), nil, nil),
        (.cancelled, .place(total: 30), nil, nil),
        (.cancelled, .pay(amount: 5), nil, nil),
        (.cancelled, .ship(track: "T-1"), nil, nil),
        (.cancelled, .deliver, nil, nil),
        (.cancelled, .cancel(reason: "late"), nil, nil),
    ]

    static let accepts: [Order.Status: [String]] = [
        .new: ["place"], .placed: ["pay", "cancel"], .paid: ["ship", "cancel"],
        .shipped: ["deliver"], .delivered: [], .cancelled: [],
    ]

    /// An order of 30 that got to `status` by its events; 10 are paid while it is `placed`.
    static func order(_ status: Order.Status) throws -> Order.State {
        let toPlaced: [Order.Event] = [.place(total: 30), .pay(amount: 10)]
        let toShipped = toPlaced + [.pay(amount: 20), .ship(track: "T-0")]
        let events: [Order.Event] =
            switch status {
            case .new: []
            case .placed: toPlaced
            case .paid: Array(toShipped.dropLast())
            case .shipped: toShipped
            case .delivered: toShipped + [.deliver]
            case .cancelled: toPlaced + [.cancel(reason: "changed my mind")]
            }
        var state = Order.initialState
        for event in events { _ = try Order.update(&state, event: event) }
        #expect(state.status == status)
        return state
    }

    @Test func `begins new, without a total and without an output`() {
        #expect(Order.initialState.status == .new)
        #expect(Order.initialState.total == 0)
        #expect(Order.initialState.paid == 0)
        #expect(Order.initialState.track == nil)
        #expect(Order.initialState.reason == nil)
        #expect(Order.initialOutput(initialState: Order.initialState) == nil)
    }

    @Test func `the table has every pair of status and event once`() {
        for status in Order.Status.allCases {
            for event in Self.events {
                let rows = Self.table.filter { $0.status == status && $0.event == event }
                #expect(rows.count == 1, "\(status) and \(event)")
            }
        }
        #expect(Self.table.count == Order.Status.allCases.count * Self.events.count)
    }

    @Test(arguments: table)
    func `does what the table says`(row: Row) throws {
        let before = try Self.order(row.status)
        var state = before
        if let output = row.output {
            #expect(try Order.update(&state, event: row.event) == output)
            #expect(state.status == row.goesTo)
        } else {
            let refusal = #expect(throws: Rejection.self) {
                try Order.update(&state, event: row.event)
            }
            #expect(refusal?.accepts == Self.accepts[row.status])
            #expect(state == before)
        }
    }

    @Test(arguments: Order.Status.allCases)
    func `is done once delivered or cancelled`(status: Order.Status) throws {
        let isDone = status == .delivered || status == .cancelled
        #expect(try Self.order(status).isTerminal == isDone)
    }

    @Test(arguments: [1, 2, 30, (1 << 53) - 1])
    func `takes a total from 1 to the greatest exact integer`(total: Int) throws {
        var state = Order.initialState
        #expect(try Order.update(&state, event: .place(total: total)) == .placed)
        #expect(state.total == total)
        #expect(state.paid == 0)
    }

    @Test(arguments: [0, -1, 1 << 53, .min, .max])
    func `refuses other totals and stays new`(total: Int) {
        var state = Order.initialState
        let refusal = #expect(throws: Rejection.self) {
            try Order.update(&state, event: .place(total: total))
        }
        #expect(refusal?.accepts == ["place"])
        #expect(state == Order.initialState)
    }

    @Test func `is paid when the parts make up the total`() throws {
        var state = Order.initialState
        _ = try Order.update(&state, event: .place(total: 30))
        #expect(try Order.update(&state, event: .pay(amount: 1)) == .payment(paid: 1, due: 29))
        #expect(try Order.update(&state, event: .pay(amount: 28)) == .payment(paid: 29, due: 1))
        #expect(state.status == .placed)
        #expect(try Order.update(&state, event: .pay(amount: 1)) == .payment(paid: 30, due: 0))
        #expect(state.status == .paid)
        #expect(state.paid == 30)
    }

    @Test(arguments: [0, -1, .min, 21, .max])
    func `refuses an amount that is not positive or more than due`(amount: Int) throws {
        let before = try Self.order(.placed)
        var state = before
        let refusal = #expect(throws: Rejection.self) {
            try Order.update(&state, event: .pay(amount: amount))
        }
        #expect(refusal?.accepts == ["pay", "cancel"])
        #expect(state == before)
    }

    @Test func `keeps the parcel's number and the reason`() throws {
        var shipped = try Self.order(.paid)
        _ = try Order.update(&shipped, event: .ship(track: "T-9"))
        #expect(shipped.track == "T-9")
        #expect(shipped.reason == nil)
        var cancelled = try Self.order(.placed)
        _ = try Order.update(&cancelled, event: .cancel(reason: "too dear"))
        #expect(cancelled.reason == "too dear")
        #expect(cancelled.track == nil)
    }

    @Test func `refunds nothing where nothing was paid`() throws {
        var state = Order.initialState
        _ = try Order.update(&state, event: .place(total: 30))
        #expect(
            try Order.update(&state, event: .cancel(reason: "late")) == .cancelled(refund: 0))
    }
}
