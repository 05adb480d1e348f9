import BuiltInMachines
import OrderedJSON
import Synchronization
import Testing

@testable import Transducers

/// A definition's knowledge of its machine's states and events.
@Suite("MachineDescriber")
struct MachineDescriberTests {
    private func arrows(_ description: MachineDescription) -> [String] {
        description.transitions.map { "\($0.from) \($0.event) \($0.to)" }
    }

    private func describe(_ definition: Definition) throws -> MachineDescription {
        try #require(definition.describer).describe()
    }

    // MARK: By cases

    @Test func `a machine whose types list their cases is known wholly`() throws {
        let definition = Definition(Turnstile.self, named: "turnstile", version: "1")
        let description = try describe(definition)
        #expect(description.states == ["locked", "unlocked"])
        #expect(description.events == ["COIN", "PUSH"])
        #expect(arrows(description) == ["locked COIN unlocked", "unlocked PUSH locked"])
        #expect(description.initial == "locked" && description.terminal.isEmpty)
        #expect(definition.describer?.stateName(Array("\"locked\"".utf8)) == "locked")
    }

    private enum Lamp: Transducer, InitialState {
        enum State: Terminable, Codable, CaseIterable, Sendable {
            case off, on, broken
            var isTerminal: Bool { self == .broken }
        }
        enum Event: Codable, Sendable { case press(hard: Bool) }
        static var initialState: State { .off }
        static func update(_ state: inout State, event: Event) {
            if case .press(true) = event { state = .broken } else { state = .on }
        }
    }

    @Test func `the state of an instance is active, and events have examples`() throws {
        let definition = Definition(Turnstile.self, named: "turnstile", version: "1")
        let state = Array(#""unlocked""#.utf8)
        let description = try #require(definition.describer).describe(in: state)
        #expect(description.diagram.nodes.map(\.isActive) == [false, true])
        #expect(description.examples.map(\.event) == ["COIN", "PUSH"])
        #expect(description.examples.map { $0.values.map(text) } == [[#""COIN""#], [#""PUSH""#]])
        #expect(try !describe(definition).diagram.nodes.contains(where: \.isActive))
    }

    private func text(_ json: [UInt8]) -> String { String(decoding: json, as: UTF8.self) }

    @Test func `events of the machine itself are no examples, and those without values are`() {
        var description = MachineDescription()
        description.add(example: Array(#""rang""#.utf8), ofEvent: "rang")
        let events = [EnumCase(name: "rang", members: []), EnumCase(name: "stop", members: [])]
        description.add(TakenEvent.all(events, internal: ["rang"]) ?? [], states: [])
        #expect(description.examples.map(\.event) == ["stop"])
        #expect(description.examples.first?.values.map(text) == [#"{"type":"stop"}"#])
    }

    @Test func `examples of events are bounded in bytes`() {
        var description = MachineDescription()
        let bytes = MachineDescription.exampleBytesMax
        let half = Array(repeating: UInt8(ascii: "1"), count: bytes / 2)
        description.add(example: half, ofEvent: "a")
        description.add(example: half, ofEvent: "b")
        #expect(!description.isPartial)
        let isAdded = description.add(example: [0x31], ofEvent: "a")
        #expect(!isAdded && description.isPartial)
        #expect(description.examples.map(\.values.count) == [1, 1])
    }

    @Test func `without events to try the states are listed, and no arrows`() throws {
        let description = try describe(Definition(Lamp.self, named: "lamp", version: "1"))
        #expect(description.states == ["off", "on", "broken"])
        #expect(description.terminal == ["broken"])
        #expect(description.events.isEmpty && description.transitions.isEmpty)
    }

    // MARK: By nothing

    private enum Sum: Transducer, InitialState {
        struct State: NonTerminal, Codable { var sum = 0 }
        enum Event: Codable, CaseIterable, Sendable { case up, down }
        static var initialState: State { State() }
        static func update(_ state: inout State, event: Event) { state.sum += 1 }
    }

    @Test func `states without names aren't guessed`() throws {
        let definition = Definition(Sum.self, named: "sum", version: "1")
        let description = try describe(definition)
        #expect(description.states.isEmpty && description.transitions.isEmpty)
        #expect(definition.describer?.stateName(Array("{\"sum\":1}".utf8)) == nil)
    }

    // MARK: By examples

    @Test func `an order is drawn from its declared examples`() throws {
        let definition = Definition(Order.self, named: "order", version: "1")
        let description = try describe(definition)
        #expect(description.initial == "new")
        #expect(description.terminal == ["delivered", "cancelled", "expired"])
        #expect(Set(description.states) == Set(Order.Status.allCases.map(\.rawValue)))
        let arrows = arrows(description)
        for arrow in [
            "new place placed", "placed pay paid", "placed pay placed", "placed charge charging",
            "charging charged paid", "paid cancel cancelled", "paid cancel cancelling",
            "cancelling refunded cancelled", "lost ship shipped", "shipped deliver delivered",
        ] { #expect(arrows.contains(arrow), "\(arrow)") }
        #expect(!arrows.contains { $0.hasPrefix("delivered ") })
        #expect(Set(arrows).count == arrows.count)
        let state = Array(#"{"status":"paid","total":1,"paid":1}"#.utf8)
        #expect(definition.describer?.stateName(state) == "paid")
        #expect(definition.describer?.stateName(Array("5".utf8)) == nil)
    }

    private enum Endless: DescribedTransducer, Transducer, InitialState {
        struct State: NonTerminal, Codable { var count = 0 }
        enum Event: Codable, CaseIterable, Sendable { case up, fail }
        struct Failure: Error {}
        static var initialState: State { State() }
        static func update(_ state: inout State, event: Event) throws {
            if event == .fail { throw Failure() }
            state.count += 1
        }
    }

    @Test func `endlessly many states are tried up to a bound, by their JSON`() throws {
        let description = try describe(Definition(Endless.self, named: "endless", version: "1"))
        #expect(description.states.count == MachineDescription.statesMax)
        #expect(description.states.first == #"{"count":0}"#)
        #expect(arrows(description).first == #"{"count":0} up {"count":1}"#)
        #expect(!arrows(description).contains { $0.contains("fail") })
    }

    /// Has more events than may be tried in all states that may be told.
    private enum Wide: DescribedTransducer, Transducer, InitialState {
        struct State: NonTerminal, Codable { var count = 0 }
        struct Event: Codable, Sendable { var number: Int }
        static let tries = Mutex(0)
        static var initialState: State { State() }
        static var sampleEvents: [Event] { (0..<100).map(Event.init) }
        static func update(_ state: inout State, event: Event) {
            tries.withLock { $0 += 1 }
            state.count += event.number == 0 ? 1 : 0
        }
    }

    @Test func `no more than 2,048 events are tried, and states found later have no arrows`()
        throws
    {
        let description = try describe(Definition(Wide.self, named: "wide", version: "1"))
        #expect(Wide.tries.withLock { $0 } == MachineDescription.triesMax)
        #expect(description.states.last == #"{"count":21}"#)
        #expect(!description.transitions.contains { $0.from == #"{"count":21}"# })
        #expect(description.transitions.contains { $0.from == #"{"count":20}"# })
    }

    // MARK: By itself

    private enum Gate: SelfDescribingTransducer, Transducer, InitialState {
        enum State: NonTerminal, Codable { case locked, unlocked }
        enum Event: Codable, Sendable { case coin }
        static var initialState: State { .locked }
        static func update(_ state: inout State, event: Event) { state = .unlocked }

        static let diagram = StateDiagram(
            nodes: [
                StateDiagram.Node(id: "a", label: "shut", kind: .state),
                StateDiagram.Node(id: "b", label: "open", kind: .terminal),
            ], links: [StateDiagram.Link(from: "a", to: "b", event: "coin")], initial: "a")
        static func description(from initial: State?) -> MachineDescription {
            var diagram = diagram
            diagram.initial = initial == .unlocked ? "b" : "a"
            return MachineDescription(
                diagram, events: ["coin", initial.map { "\($0)" } ?? "nowhere"])
        }
    }

    @Test func `a machine's own description is used`() throws {
        let description = try describe(Definition(Gate.self, named: "gate", version: "1"))
        #expect(description.isComplete)
        #expect(description.states == ["shut", "open"] && description.terminal == ["open"])
        #expect(description.events == ["coin", "locked"])
        #expect(arrows(description) == ["shut coin open"])
        #expect(description.initial == "shut")
        #expect(description.diagram == Gate.diagram)
        var observed = description
        observed.observe(from: "x", event: "y", to: "z", isTerminal: false)
        #expect(observed.states == description.states, "its diagram says everything")
        let describer = Definition(Gate.self, named: "gate", version: "1").describer
        let inside = try #require(describer).describe(in: Array(#""unlocked""#.utf8))
        #expect(inside.diagram.nodes.map(\.isActive) == [false, true])
        #expect(inside.initial == "shut" && inside.diagram.initial == "a")
        #expect(try #require(describer).describe(in: Array("7".utf8)).diagram == Gate.diagram)
    }
}

@Suite("MachineDescription")
struct MachineDescriptionTests {
    @Test func `observed transitions are marked, and known ones not repeated`() throws {
        var description = try #require(
            Definition(Turnstile.self, named: "turnstile", version: "1").describer
        ).describe()
        description.observe(from: "locked", event: "COIN", to: "unlocked", isTerminal: false)
        #expect(description.transitions.count == 2)
        description.observe(from: "locked", event: "KICK", to: "broken", isTerminal: true)
        description.observe(from: "locked", event: "KICK", to: "broken", isTerminal: true)
        description.observe(from: nil, event: "PUSH", to: "ajar", isTerminal: false)
        description.observe(initial: "ajar")
        #expect(description.initial == "locked", "what is declared holds")
        #expect(description.states == ["locked", "unlocked", "broken", "ajar"])
        #expect(description.events == ["COIN", "PUSH", "KICK"])
        #expect(description.terminal == ["broken"])
        #expect(description.transitions.map(\.isObserved) == [false, false, true])
        #expect(
            description.diagram.mermaid == """
                stateDiagram-v2
                    state "locked" as s0
                    state "unlocked" as s1
                    state "broken" as s2
                    state "ajar" as s3
                    [*] --> s0
                    s0 --> s1 : COIN
                    s1 --> s0 : PUSH
                    s0 --> s2 : KICK (observed)
                    s2 --> [*]

                """)
        #expect(
            description.diagram.dot.contains(
                "s0 -> s2 [label=\"KICK (observed)\", style=dashed];"))
    }

    @Test func `an empty description has one note`() {
        let diagram = MachineDescription().diagram
        #expect(
            diagram.mermaid == """
                stateDiagram-v2
                    state "nothing is known of this machine's states" as s0

                """)
        #expect(diagram.dot.contains("shape=plaintext"))
        var begun = MachineDescription()
        begun.observe(initial: "here")
        #expect(begun.initial == "here" && begun.diagram.mermaid.contains("[*] --> s0"))
    }

    @Test func `the description stays within its bounds`() {
        var description = MachineDescription()
        for number in 0..<(MachineDescription.statesMax * 2) {
            description.observe(
                from: "\(number)", event: "e\(number)", to: "\(number + 1)", isTerminal: false)
        }
        for number in 0..<(MachineDescription.transitionsMax * 2) {
            description.observe(from: "0", event: "f\(number)", to: "1", isTerminal: false)
        }
        #expect(description.states.count == MachineDescription.statesMax)
        #expect(description.events.count == MachineDescription.statesMax)
        #expect(description.transitions.count == MachineDescription.transitionsMax)
    }
}
