import OrderedJSON
import Testing
import TransducerRoutes

/// A gate defined by a table, with the outputs of a turnstile.
enum TableGate: RoutedTransducer, InitialState {
    enum State: StateType, Codable, CaseIterable, Terminable {
        case locked, unlocked, broken

        var isTerminal: Bool { self == .broken }
    }
    enum Event: EventType, Codable, CaseIterable { case coin, push, kick }
    typealias Output = State?

    static let routes = RouteTable<State, Event, State> { table in
        table.on(.coin, .locked => .unlocked) { .output($0.toState) }
        table.on(.push, .unlocked => .locked) { .output($0.toState) }
        table.on(.kick, .any => .broken)
    }
    static var initialState: State { .locked }
}

/// A table whose handlers raise events and emit several outputs.
private enum Elevator: RoutedTransducer, InitialState {
    typealias State = Stop
    typealias Event = Call
    typealias Output = [String]

    static let routes = StopTable { table in
        table.on(.jump, .any => .s1) { _ in [.output("jump"), .event(.go), .output("going")] }
        table.on(.go, .s1 => .s2) { _ in .output("go") }
    }
    static var initialState: Stop { .s0 }
}

/// A table that emits nothing.
private enum Silent: RoutedTransducer, InitialState {
    typealias State = Stop
    typealias Event = Call

    static let routes = RouteTable<Stop, Call, Never> { $0.on(.go, .s0 => .s1) }
    static var initialState: Stop { .s0 }
}

/// A table that emits nothing, for a machine that runs only in process.
private enum Mute: RoutedTransducer {
    typealias State = Stop
    typealias Event = Call

    static let routes = RouteTable<Stop, Call, Never> { table in
        table.on(.go, .s0 => .s1) { _ in .event(.back) }
        table.on(.back, .s1 => .s2)
    }
}

/// A table whose handlers emit more outputs than its machine allows.
private enum Chatty: RoutedTransducer {
    typealias State = Stop
    typealias Event = Call
    typealias Output = String?

    static let routes = StopTable { table in
        table.on(.go, .any => .s1) { _ in [.output("a"), .output("b")] }
    }
}

@Suite("Transducers in table form")
struct RoutedTransducerTests {
    private let limits = StepLimits(
        immediateEvents: 1_000, outputs: 10, outputBytes: 1_000, stateBytes: 1_000)

    private func apply(
        _ event: String, to instance: inout any HostedInstance, of definition: Definition
    ) throws -> (state: String, outputs: [String]) {
        let document = try JSONDocument(parsing: Array(event.utf8))
        let decoded = try definition.machine.decodeEvent(document, at: document.root)
        var step = StepBuffer()
        try instance.apply(decoded, in: StepContext(limits: limits), into: &step)
        return (
            String(decoding: step.state.bytes, as: UTF8.self),
            step.outputs.map { String(decoding: $0.data, as: UTF8.self) }
        )
    }

    @Test func `a table compiles to the same update as one written by hand`() throws {
        var state = TableGate.State.locked
        let (effect, output) = try TableGate.update(&state, event: .coin)
        #expect(effect == nil)
        #expect(output == .unlocked)
        #expect(state == .unlocked)
    }

    @Test func `an event without a route is a Rejection with accepted events`() {
        var state = TableGate.State.locked
        #expect(
            throws: Rejection("no route for push in locked", accepts: ["coin", "kick"])
        ) { try TableGate.update(&state, event: .push) }
        #expect(state == .locked)
    }

    @Test func `a table is hosted as any transducer is`() throws {
        let definition = Definition(TableGate.self, named: "gate", version: "1.0.0")
        var instance = try definition.machine.makeInstance()
        let first = try apply(#""coin""#, to: &instance, of: definition)
        #expect(first.state == #""unlocked""#)
        #expect(first.outputs == [#""unlocked""#])
        let last = try apply(#""kick""#, to: &instance, of: definition)
        #expect(last.state == #""broken""#)
        #expect(last.outputs == [])
        #expect(instance.isTerminal)
    }

    @Test func `a hosted table refuses with StepFailure.rejected`() throws {
        let definition = Definition(TableGate.self, named: "gate", version: "1.0.0")
        var instance = try definition.machine.makeInstance()
        #expect(
            throws: StepFailure.rejected(
                Rejection("no route for push in locked", accepts: ["coin", "kick"]))
        ) { _ = try apply(#""push""#, to: &instance, of: definition) }
    }

    @Test func `raised events become an effect of the same step`() throws {
        let definition = Definition(Elevator.self, named: "elevator", version: "1.0.0")
        var instance = try definition.machine.makeInstance()
        let step = try apply(#""jump""#, to: &instance, of: definition)
        #expect(step.state == #""s2""#)
        #expect(step.outputs == [#"["jump","going"]"#, #"["go"]"#])
    }

    @Test func `a table without outputs is hosted too`() throws {
        let definition = Definition(Silent.self, named: "silent", version: "1.0.0")
        var instance = try definition.machine.makeInstance()
        let step = try apply(#""go""#, to: &instance, of: definition)
        #expect(step.state == #""s1""#)
        #expect(step.outputs.isEmpty)
    }

    @Test func `a machine may leave Output out`() throws {
        let driver = SynchronousDriver(of: Mute.self, initialState: .s0)
        try driver.send(.go)
        #expect(driver.state == .s2)
    }

    @Test func `more outputs than there is room for fail the step`() {
        var state = Stop.s0
        let error = #expect(throws: RoutedOutputError.self) {
            try Chatty.update(&state, event: .go)
        }
        #expect(
            error?.description
                == "the handlers of one step emitted 2 outputs; declare Output as a list of them")
    }
}

/// The definition of a machine with a table.
@Suite("Descriptions of machines with tables")
struct RoutedDescriptionTests {
    private enum Gate: RoutedTransducer, InitialState {
        enum State: StateType, NonTerminal, Codable { case locked, unlocked }
        enum Event: EventType, Codable { case coin, push }
        typealias Output = State?
        static let routes = RouteTable<State, Event, State> { table in
            table.on(.coin, .locked => .unlocked) { .output($0.toState) }
            table.on(.push, .unlocked => .locked) { .output($0.toState) }
        }
        static var initialState: State { .locked }
    }

    @Test func `a table of routes is its own drawing`() throws {
        let definition = Definition(Gate.self, named: "gate", version: "1")
        let description = try #require(definition.describer).describe()
        #expect(description.isComplete)
        #expect(description.states == ["locked", "unlocked"])
        #expect(description.events == ["coin", "push"])
        let arrows = description.transitions.map { "\($0.from) \($0.event) \($0.to)" }
        #expect(arrows == ["locked coin unlocked", "unlocked push locked"])
        #expect(description.initial == "locked")
        #expect(description.diagram == Gate.routes.diagram(initial: .locked))
        var observed = description
        observed.observe(from: "x", event: "y", to: "z", isTerminal: false)
        #expect(observed.states == description.states, "the table says everything")
    }
}
