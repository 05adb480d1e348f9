import BuiltInMachines
import OrderedJSON
import Testing
import Transducers

@Suite("Order")
struct BuiltInOrderTests {
    @Test func `begins new, without a total and without an output`() {
        #expect(Order.initialState.status == .new)
        #expect(Order.initialState.total == 0)
        #expect(Order.initialState.paid == 0)
        #expect(Order.initialState.charged == nil)
        #expect(Order.initialState.track == nil)
        #expect(Order.initialState.reason == nil)
        #expect(Order.initialOutput(initialState: Order.initialState) == nil)
    }

    @Test(arguments: Order.Status.allCases)
    func `is done once delivered, cancelled or expired`(status: Order.Status) throws {
        let isDone = [.delivered, .cancelled, .expired].contains(status)
        #expect(try OrderTable.order(status).isTerminal == isDone)
    }

    @Test(arguments: [1, 2, 30, (1 << 53) - 1])
    func `takes a total from 1 to the greatest exact integer`(total: Int) throws {
        var state = Order.initialState
        #expect(try Order.update(&state, event: .place(total: total)).1 == .placed)
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
        #expect(try Order.update(&state, event: .pay(amount: 1)).1 == .payment(paid: 1, due: 29))
        #expect(
            try Order.update(&state, event: .pay(amount: 28)).1 == .payment(paid: 29, due: 1))
        #expect(state.status == .placed)
        #expect(try Order.update(&state, event: .pay(amount: 1)).1 == .payment(paid: 30, due: 0))
        #expect(state.status == .paid)
        #expect(state.paid == 30)
        #expect(state.charged == nil)
    }

    @Test(arguments: [0, -1, .min, 21, .max])
    func `refuses an amount that is not positive or more than due`(amount: Int) throws {
        let before = try OrderTable.order(.placed)
        var state = before
        let refusal = #expect(throws: Rejection.self) {
            try Order.update(&state, event: .pay(amount: amount))
        }
        #expect(refusal?.accepts == ["pay", "charge", "cancel"])
        #expect(state == before)
    }

    @Test func `keeps the parcel's number, the newest one, and the reason`() throws {
        var shipped = try OrderTable.order(.paid)
        _ = try Order.update(&shipped, event: .ship(track: "T-9"))
        #expect(shipped.track == "T-9")
        #expect(shipped.reason == nil)
        _ = try Order.update(&shipped, event: .parcel(.lost))
        _ = try Order.update(&shipped, event: .ship(track: "T-10"))
        #expect(shipped.track == "T-10")
        var cancelled = try OrderTable.order(.placed)
        _ = try Order.update(&cancelled, event: .cancel(reason: "too dear"))
        #expect(cancelled.reason == "too dear")
        #expect(cancelled.track == nil)
    }

    @Test func `refunds nothing where nothing was paid`() throws {
        for event in [Order.Event.cancel(reason: "late"), .expire] {
            var state = Order.initialState
            _ = try Order.update(&state, event: .place(total: 30))
            let output = try Order.update(&state, event: event).1
            #expect([.cancelled(refund: 0), .expired(refund: 0)].contains(output))
        }
    }

    @Test func `charges and payments by hand are reported separately`() throws {
        var state = try OrderTable.order(.charging)
        #expect(try Order.update(&state, event: .charged).1 == .payment(paid: 30, due: 0))
        #expect(state.paid == 30)
        #expect(state.charged == 20)
        let cancelled = try Order.update(&state, event: .cancel(reason: "late")).1
        #expect(cancelled == .refunding(amount: 20))
        #expect(try Order.update(&state, event: .refunded).1 == .cancelled(refund: 10))
        #expect(state.reason == "late")
    }

    static let failures: [(id: String?, work: Order.Work)] = [
        ("charge", .charge), ("parcel", .parcel), (nil, .refund),
    ]

    @Test(arguments: failures)
    func `a failure is reported with the failed work`(id: String?, work: Order.Work) {
        let failure = EffectFailure(
            id: id.map { EffectKey($0) }, error: PermanentFailure("the server answered 402"))
        #expect(
            Order.effectFailed(failure)
                == .failed(work: work, reason: "the server answered 402"))
        let other = EffectFailure(
            id: EffectKey("payment"), error: PermanentFailure("the server answered 402"))
        #expect(Order.effectFailed(other) == nil)
    }

    @Test func `a charge that has a result has been made`() throws {
        let response = HTTPResponse(status: 204, body: "thanks")
        let result = EffectResult(
            id: EffectKey("charge"), then: "charged",
            value: ["status": .integer(Int64(response.status)), "body": response.body])
        #expect(try Order.effectResult(result) == .charged)
    }

    @Test func `a parcel's end is an event`() throws {
        let id = EffectKey("parcel")
        let lost = EffectResult(id: id, then: "parcel", value: "lost")
        #expect(try Order.effectResult(lost) == .parcel(.lost))
        #expect(throws: (any Error).self) {
            try Order.effectResult(EffectResult(id: id, then: "parcel", value: "eaten"))
        }
    }

    @Test func `a refund has no event of its own`() throws {
        let result = EffectResult(id: nil, then: nil, value: ["status": 200])
        #expect(try Order.effectResult(result) == nil)
    }
}
