import BuiltInMachines
import GroveEngine
import OrderedJSON
import Testing

@Suite("Paying an order on a host")
struct OrderPaymentTests {
    let bench: EffectBench
    let order = "order/o-1"
    static let charge: JSONValue = ["type": "charge", "url": "https://pay", "order": "o-1"]

    /// An order of 30 that is placed.
    init() throws {
        bench = try EffectBench.builtIn()
        try bench.send(["type": "place", "total": 30], to: order)
        #expect(bench.takeOutputs(of: order) == [#""placed""#])
    }

    @Test func `an order is paid over HTTP`() throws {
        try bench.send(Self.charge, to: order)
        #expect(bench.requests == [#"POST https://pay {"order":"o-1","amount":30}"#])
        #expect(try bench.rows(of: order) == ["active charge"])
        try bench.answer(201)
        #expect(
            bench.takeOutputs(of: order) == [
                #"{"type":"charging","amount":30}"#, #"{"type":"payment","paid":30,"due":0}"#,
            ])
        #expect(
            try bench.text(of: order)
                == #"{"status":"paid","total":30,"paid":30,"charged":30}"#)
        // Kept, because it can be undone.
        #expect(try bench.rows(of: order) == ["completed charge"])
    }

    @Test func `only the due amount is charged`() throws {
        try bench.send(["type": "pay", "amount": 10], to: order)
        try bench.send(Self.charge, to: order)
        #expect(bench.requests == [#"POST https://pay {"order":"o-1","amount":20}"#])
    }

    @Test func `a failed request is repeated, also by another process`() throws {
        try bench.send(Self.charge, to: order)
        try bench.fail("the server answered 503")
        #expect(bench.requests == [])
        try bench.restart()
        try bench.advance(by: 1_000)
        #expect(bench.requests.count == 1)
        try bench.answer(200)
        #expect(bench.takeOutputs(of: order).last == #"{"type":"payment","paid":30,"due":0}"#)
    }

    @Test func `after five attempts the charge has failed, and can be requested again`() throws {
        try bench.send(Self.charge, to: order)
        for _ in 1...5 {
            #expect(bench.requests.count == 1)
            try bench.fail("the server answered 503")
            try bench.advance(by: 10_000)
        }
        #expect(bench.requests == [])
        #expect(
            bench.takeOutputs(of: order).last
                == #"{"type":"failed","work":"charge","reason":"the server answered 503"}"#)
        #expect(try bench.rows(of: order) == ["sleeping payment"])
        try bench.send(Self.charge, to: order)
        try bench.answer(200)
        #expect(bench.takeOutputs(of: order).last == #"{"type":"payment","paid":30,"due":0}"#)
    }

    @Test func `a declined charge isn't repeated, and isn't undone later`() throws {
        try bench.send(Self.charge, to: order)
        try bench.answer(402)
        let told = try #require(bench.takeOutputs(of: order).last)
        #expect(told.hasPrefix(#"{"type":"failed","work":"charge","reason":"#))
        #expect(told.hasSuffix(#"the server answered 402"}"#))
        try bench.advance(by: 60_000)
        #expect(bench.requests == [])
        #expect(try bench.text(of: order) == #"{"status":"placed","total":30,"paid":0}"#)
        try bench.send(["type": "pay", "amount": 30], to: order)
        try bench.send(["type": "cancel", "reason": "late"], to: order)
        try bench.settle()
        #expect(bench.requests == [])
        #expect(bench.takeOutputs(of: order).last == #"{"type":"cancelled","refund":30}"#)
    }

    @Test func `an unpaid order expires after half an hour, also across a crash`() throws {
        try bench.send(["type": "pay", "amount": 10], to: order)
        try bench.advance(by: 1_799_999)
        #expect(try !bench.isDone(order))
        try bench.restart()
        try bench.advance(by: 1)
        #expect(bench.takeOutputs(of: order).last == #"{"type":"expired","refund":10}"#)
        #expect(try bench.isDone(order))
        #expect(try bench.rows(of: order) == [])
    }

    @Test func `an order paid at the last moment doesn't expire`() throws {
        try bench.advance(by: 1_799_999)
        try bench.send(["type": "pay", "amount": 30], to: order)
        #expect(try bench.rows(of: order) == [])
        try bench.advance(by: 3_600_000)
        #expect(try bench.text(of: order) == #"{"status":"paid","total":30,"paid":30}"#)
    }

    @Test func `the time to pay stops during a charge, and restarts after it`()
        throws
    {
        try bench.advance(by: 1_799_999)
        try bench.send(Self.charge, to: order)
        try bench.advance(by: 3_600_000)
        #expect(try !bench.isDone(order))
        try bench.answer(402)
        try bench.advance(by: 1_799_999)
        #expect(try !bench.isDone(order))
        try bench.advance(by: 1)
        #expect(bench.takeOutputs(of: order).last == #"{"type":"expired","refund":0}"#)
    }

    @Test func `no payment and no cancellation is accepted during a charge`() throws {
        try bench.send(Self.charge, to: order)
        for event: JSONValue in [
            ["type": "pay", "amount": 1], ["type": "cancel", "reason": "x"], Self.charge,
        ] {
            let refusal = try #require(try bench.refusal(of: event, to: order))
            #expect(refusal.hasPrefix("an order that is charging doesn't take"))
        }
        #expect(bench.requests.count == 1)
    }

    @Test func `without the handler a charge is refused, and the order stays as it is`() throws {
        let bench = try EffectBench(BuiltInMachines.definitions, handlers: [])
        try bench.send(["type": "place", "total": 30], to: order)
        let refusal = try #require(try bench.refusal(of: Self.charge, to: order))
        #expect(refusal.contains("http"))
        #expect(try bench.text(of: order) == #"{"status":"placed","total":30,"paid":0}"#)
        #expect(try bench.rows(of: order) == ["sleeping payment"])
    }
}
