import BuiltInMachines
import OrderedJSON
import Testing
import Transducers

/// The machines as a host sees them: JSON in, JSON out.
@Suite("BuiltInMachines")
struct BuiltInDefinitionsTests {
    static let limits = StepLimits(
        immediateEvents: 1_000, outputs: 64, outputBytes: 1 << 20, stateBytes: 1 << 20)

    static func definition(_ name: String) throws -> Definition {
        try #require(BuiltInMachines.definitions.first { $0.name == name })
    }

    /// Decodes and applies one event, and returns state and outputs as JSON text.
    static func apply(
        _ event: String, to instance: inout any HostedInstance, of definition: Definition
    ) throws -> (state: String, outputs: [String], types: [String?]) {
        let document = try JSONDocument(parsing: Array(event.utf8))
        let decoded = try definition.machine.decodeEvent(document, at: document.root)
        var step = StepBuffer()
        try instance.apply(decoded, in: StepContext(limits: limits), into: &step)
        return (
            String(decoding: step.state.bytes, as: UTF8.self),
            step.outputs.map { String(decoding: $0.data, as: UTF8.self) },
            step.outputs.map(\.type)
        )
    }

    @Test func `the definitions are six, in order, and one needs a handler`() {
        let definitions = BuiltInMachines.definitions
        #expect(
            definitions.map { "\($0.name) \($0.version)" } == [
                "counter 1.0.0", "order 1.1.0", "periodic 1.1.0", "shipment 1.0.0",
                "sign-in 1.0.0", "turnstile 1.0.0",
            ])
        #expect(
            definitions.filter(\.stateHasNames).map(\.name)
                == ["order", "shipment", "sign-in", "turnstile"])
        #expect(
            definitions.map(\.naming.known) == [
                nil, Order.Status.allCases.map(\.rawValue), nil,
                Shipment.Status.allCases.map(\.rawValue), ["signed_out", "waiting", "signed_in"],
                ["locked", "unlocked"],
            ])
        #expect(definitions.allSatisfy { $0.takes != nil && $0.faults.isEmpty })
        #expect(
            definitions.filter { !$0.internalEvents.isEmpty }.map(\.name)
                == ["order", "sign-in"])
        #expect(definitions.map(\.handlers) == [[], ["http"], [], [], [], []])
    }

    @Test(arguments: [
        ("counter", #"{"count":0}"#),
        ("order", #"{"status":"new","total":0,"paid":0}"#),
        ("periodic", #"{"ticks":0}"#),
        ("shipment", #"{"status":"new"}"#),
        ("sign-in", #"{"status":"signed_out"}"#),
        ("turnstile", #""locked""#),
    ])
    func `begin in a state that reads well on the wire`(name: String, state: String) throws {
        var step = StepBuffer()
        try Self.definition(name).machine.makeInstance().describeInitial(into: &step)
        #expect(String(decoding: step.state.bytes, as: UTF8.self) == state)
        #expect(step.outputs.isEmpty)
    }

    @Test func `a counter takes its events by name or as an object`() throws {
        let counter = try Self.definition("counter")
        var instance = try counter.machine.makeInstance()
        let first = try Self.apply(#""increment""#, to: &instance, of: counter)
        #expect(first.state == #"{"count":1}"#)
        #expect(first.outputs == ["1"])
        #expect(first.types == [nil])
        let second = try Self.apply(#"{"type":"add","amount":41}"#, to: &instance, of: counter)
        #expect(second.state == #"{"count":42}"#)
        #expect(second.outputs == ["42"])
    }

    @Test func `a turnstile accepts COIN and PUSH by exactly these names`() throws {
        let turnstile = try Self.definition("turnstile")
        var instance = try turnstile.machine.makeInstance()
        let opened = try Self.apply(#""COIN""#, to: &instance, of: turnstile)
        #expect(opened.state == #""unlocked""#)
        #expect(opened.outputs == [#""unlocked""#])
        #expect(opened.types == ["unlocked"])
        let closed = try Self.apply(#"{"type":"PUSH"}"#, to: &instance, of: turnstile)
        #expect(closed.state == #""locked""#)
        #expect(closed.types == ["locked"])
        #expect(throws: EventError.self) {
            try Self.apply(#""coin""#, to: &instance, of: turnstile)
        }
    }

    @Test func `an order emits outputs with its amounts`() throws {
        let order = try Self.definition("order")
        var instance = try order.machine.makeInstance()
        let steps: [(event: String, state: String, output: String, type: String)] = [
            (
                #"{"type":"place","total":30}"#,
                #"{"status":"placed","total":30,"paid":0}"#,
                #""placed""#, "placed"
            ),
            (
                #"{"type":"pay","amount":10}"#,
                #"{"status":"placed","total":30,"paid":10}"#,
                #"{"type":"payment","paid":10,"due":20}"#, "payment"
            ),
            (
                #"{"type":"pay","amount":20}"#,
                #"{"status":"paid","total":30,"paid":30}"#,
                #"{"type":"payment","paid":30,"due":0}"#, "payment"
            ),
            (
                #"{"type":"ship","track":"T-1"}"#,
                #"{"status":"shipped","total":30,"paid":30,"track":"T-1"}"#,
                #""shipped""#, "shipped"
            ),
            (
                #""deliver""#,
                #"{"status":"delivered","total":30,"paid":30,"track":"T-1"}"#,
                #""delivered""#, "delivered"
            ),
        ]
        for step in steps {
            let taken = try Self.apply(step.event, to: &instance, of: order)
            #expect(taken.state == step.state)
            #expect(taken.outputs == [step.output])
            #expect(taken.types == [step.type])
        }
        #expect(instance.isTerminal)
    }

    @Test func `a charge emits an output, and its failure too`() throws {
        let order = try Self.definition("order")
        var instance = try order.machine.makeInstance()
        _ = try Self.apply(#"{"type":"place","total":30}"#, to: &instance, of: order)
        let charging = try Self.apply(
            #"{"type":"charge","url":"https://pay"}"#, to: &instance, of: order)
        #expect(charging.state == #"{"status":"charging","total":30,"paid":0}"#)
        #expect(charging.outputs == [#"{"type":"charging","amount":30}"#])
        let failed = try Self.apply(
            #"{"type":"failed","work":"charge","reason":"busy"}"#, to: &instance, of: order)
        #expect(failed.outputs == [#"{"type":"failed","work":"charge","reason":"busy"}"#])
        #expect(failed.types == ["failed"])
    }

    @Test func `a shipment emits its status`() throws {
        let shipment = try Self.definition("shipment")
        var instance = try shipment.machine.makeInstance()
        let packed = try Self.apply(
            #"{"type":"pack","track":"T-1"}"#, to: &instance, of: shipment)
        #expect(packed.outputs == [#""packed""#])
        #expect(packed.state == #"{"status":"packed","track":"T-1"}"#)
        let left = try Self.apply(#""leave""#, to: &instance, of: shipment)
        #expect(left.outputs == [#""on_the_way""#])
    }

    @Test func `a periodic machine uses milliseconds`() throws {
        let periodic = try Self.definition("periodic")
        var instance = try periodic.machine.makeInstance()
        let started = try Self.apply(
            #"{"type":"start","every_ms":250}"#, to: &instance, of: periodic)
        #expect(started.state == #"{"every_ms":250,"ticks":0}"#)
        #expect(started.outputs == [#"{"type":"started","every_ms":250}"#])
        let ticked = try Self.apply(#""tick""#, to: &instance, of: periodic)
        #expect(ticked.outputs == [#"{"type":"tick","number":1}"#])
        let sending = try Self.apply(
            #"{"type":"start","every_ms":250,"to":"counter/c","event":"increment"}"#,
            to: &instance, of: periodic)
        #expect(
            sending.state == #"{"every_ms":250,"ticks":1,"to":"counter/c","event":"increment"}"#)
        let stopped = try Self.apply(#""stop""#, to: &instance, of: periodic)
        #expect(stopped.state == #"{"ticks":1}"#)
        #expect(stopped.outputs == [#"{"type":"stopped","ticks":1}"#])
    }

    @Test func `a stored state comes back as it was`() throws {
        let order = try Self.definition("order")
        let stored = #"{"status":"placed","total":30,"paid":10}"#
        var instance = try order.machine.restoreInstance(state: Array(stored.utf8))
        let taken = try Self.apply(
            #"{"type":"cancel","reason":"late"}"#, to: &instance, of: order)
        #expect(taken.outputs == [#"{"type":"cancelled","refund":10}"#])
        #expect(
            taken.state == #"{"status":"cancelled","total":30,"paid":10,"reason":"late"}"#)
    }
}
