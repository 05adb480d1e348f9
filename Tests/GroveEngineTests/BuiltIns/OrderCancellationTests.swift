import GroveEngine
import OrderedJSON
import Testing

@Suite("Cancelling an order on a host")
struct OrderCancellationTests {
    let bench: EffectBench
    let order = "order/o-1"
    static let refund = #"POST https://pay/refund {"order":"o-1","amount":20}"#

    /// An order of 30, of which 10 were paid by hand and 20 charged.
    init() throws {
        bench = try EffectBench.builtIn()
        try bench.send(["type": "place", "total": 30], to: order)
        try bench.send(["type": "pay", "amount": 10], to: order)
        try bench.send(["type": "charge", "url": "https://pay", "order": "o-1"], to: order)
        try bench.answer(200)
        #expect(bench.takeOutputs(of: order).last == #"{"type":"payment","paid":30,"due":0}"#)
    }

    private func cancel() throws {
        try bench.send(["type": "cancel", "reason": "late"], to: order)
        try bench.settle()
    }

    @Test func `a cancellation undoes the charge and reports payments by hand`() throws {
        try cancel()
        #expect(bench.takeOutputs(of: order) == [#"{"type":"refunding","amount":20}"#])
        #expect(bench.requests == [Self.refund])
        #expect(try !bench.isDone(order))
        try bench.answer(200)
        #expect(bench.takeOutputs(of: order) == [#"{"type":"cancelled","refund":10}"#])
        #expect(try bench.isDone(order))
        #expect(try bench.rows(of: order) == [])
    }

    @Test func `the refund is retried until it succeeds, across crashes`() throws {
        try cancel()
        for _ in 1...3 {
            try bench.fail("the server answered 503")
            try bench.restart()
            try bench.advance(by: 60_000)
            #expect(bench.requests == [Self.refund])
        }
        try bench.answer(200)
        try bench.advance(by: 3_600_000)
        #expect(bench.requests == [])
        #expect(bench.takeOutputs(of: order).last == #"{"type":"cancelled","refund":10}"#)
    }

    @Test func `a refund that fails for good is reported, and done by hand`() throws {
        try cancel()
        try bench.report(.failed(reason: "the account is closed", isPermanent: true))
        #expect(
            bench.takeOutputs(of: order).last
                == #"{"type":"failed","work":"refund","reason":"the account is closed"}"#)
        #expect(try !bench.isDone(order))
        #expect(try bench.rows(of: order) == [])
        try bench.send("refunded", to: order)
        #expect(bench.takeOutputs(of: order) == [#"{"type":"cancelled","refund":10}"#])
        #expect(try bench.isDone(order))
    }

    @Test func `a declined refund is reported like a failed one`() throws {
        try cancel()
        try bench.answer(404)
        let told = try #require(bench.takeOutputs(of: order).last)
        #expect(told.hasPrefix(#"{"type":"failed","work":"refund","reason":"#))
        #expect(told.contains("the server answered 404"))
        #expect(try !bench.isDone(order))
    }

    @Test func `an order with a lost parcel is cancelled in the same way`() throws {
        try bench.send(["type": "ship", "track": "T-1"], to: order)
        try bench.settle()
        let parcel = try #require(try bench.child(of: order))
        try bench.send("lose", to: parcel)
        try bench.settle()
        try cancel()
        #expect(bench.requests == [Self.refund])
        try bench.answer(200)
        #expect(bench.takeOutputs(of: order).last == #"{"type":"cancelled","refund":10}"#)
    }
}
