import BuiltInMachines
import GroveEngine
import OrderedJSON
import Testing
import Transducers

@Suite("Shipping an order on a host")
struct OrderShipmentTests {
    let bench: EffectBench
    let order = "order/o-1"
    let parcel: String

    /// An order whose parcel is on its way.
    init() throws {
        bench = try EffectBench.builtIn()
        try bench.send(["type": "place", "total": 30], to: order)
        try bench.send(["type": "pay", "amount": 30], to: order)
        try bench.send(["type": "ship", "track": "T-1"], to: order)
        try bench.settle()
        parcel = try #require(try bench.child(of: order))
    }

    @Test func `a parcel is a separate instance, packed`() throws {
        #expect(parcel == "shipment/o-1~2")
        #expect(try bench.text(of: parcel) == #"{"status":"packed","track":"T-1"}"#)
        #expect(try bench.rows(of: order) == ["child parcel"])
    }

    @Test func `the order is delivered with its parcel, also across a crash`() throws {
        try bench.send("leave", to: parcel)
        #expect(bench.takeOutputs(of: parcel) == [#""packed""#, #""on_the_way""#])
        try bench.restart()
        try bench.send("deliver", to: parcel)
        try bench.settle()
        #expect(bench.takeOutputs(of: order) == [#""delivered""#])
        #expect(try bench.isDone(order))
        #expect(try bench.rows(of: order) == [])
    }

    @Test func `a lost parcel is reported, and another one can be sent`() throws {
        try bench.send("lose", to: parcel)
        try bench.settle()
        #expect(bench.takeOutputs(of: order).last == #""lost""#)
        #expect(try !bench.isDone(order))
        try bench.send(["type": "ship", "track": "T-2"], to: order)
        try bench.settle()
        let second = try #require(try bench.child(of: order))
        #expect(second != parcel)
        try bench.send("leave", to: second)
        try bench.send("deliver", to: second)
        try bench.settle()
        #expect(
            try bench.text(of: order)
                == #"{"status":"delivered","total":30,"paid":30,"track":"T-2"}"#)
    }

    @Test func `delivering by hand ends the parcel's machine`() throws {
        try bench.send("deliver", to: order)
        try bench.settle()
        #expect(bench.takeOutputs(of: order).last == #""delivered""#)
        #expect(try bench.isDone(parcel))
        #expect(try bench.text(of: parcel) == #"{"status":"packed","track":"T-1"}"#)
    }

    @Test func `a shipped order can't be cancelled, but stopped with its parcel`() throws {
        let refusal = try bench.refusal(of: ["type": "cancel", "reason": "x"], to: order)
        #expect(refusal == "an order that is shipped doesn't take cancel")
        #expect(try !bench.isDone(parcel))
        try bench.ask(.stop(#require(InstanceName(order)), reason: "enough"))
        try bench.settle()
        #expect(try bench.isDone(parcel))
        #expect(try bench.store.effects(after: nil, limit: 10).isEmpty)
    }

    @Test func `a stopped parcel is reported, and the order delivered by hand`() throws {
        try bench.ask(.stop(#require(InstanceName(parcel)), reason: "strike"))
        try bench.settle()
        let told = try #require(bench.takeOutputs(of: order).last)
        #expect(
            told == #"{"type":"failed","work":"parcel","reason":"\#(parcel) was stopped: strike"}"#)
        try bench.send("deliver", to: order)
        #expect(try bench.isDone(order))
    }

    @Test func `where there are no shipments, orders are shipped by hand`() throws {
        let alone = [Definition(Order.self, named: "order", version: "1", handlers: ["http"])]
        let bench = try EffectBench(alone, handlers: ["http"])
        try bench.send(["type": "place", "total": 30], to: order)
        try bench.send(["type": "pay", "amount": 30], to: order)
        try bench.send(["type": "ship", "track": "T-1"], to: order)
        try bench.settle()
        #expect(
            bench.takeOutputs(of: order).last
                == #"{"type":"failed","work":"parcel","reason":"there is no machine shipment"}"#)
        try bench.send("deliver", to: order)
        #expect(try bench.isDone(order))
    }
}

extension EffectBench {
    /// The live child of an instance that has one.
    func child(of instance: String) throws -> String? {
        guard let name = InstanceName(instance), let stored = try store.instance(named: name)
        else { return nil }
        return try store.effects(of: stored.number).lazy.compactMap(\.body.child).first
    }
}
