import OrderedJSON
import Testing
import Transducers

/// Events of parts that only the parts' effects may send.
@Suite("Internal events of composed machines")
struct InternalEventsTests {
    /// Counts its ticks, which no client may send.
    enum Pulse: EffectTransducer, InitialState {
        struct State: NonTerminal, Codable { var ticks = 0 }
        enum Event: Codable, Sendable { case start, tick, worked(Int) }
        typealias Output = Int
        static let internalEvents = ["tick", "worked"]
        static var initialState: State { State() }

        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            if case .tick = event { state.ticks += 1 }
            return (nil, state.ticks)
        }
    }

    typealias Two = Parallel<Pulse, Silenced<Pulse>, EndsWithAll>
    typealias Fed = Piped<Pulse, Adder>

    enum Adder: Transducer, InitialState {
        struct State: NonTerminal, Codable { var sum = 0 }
        typealias Event = Int
        static var initialState: State { State() }
        static func update(_ state: inout State, event: Int) -> Int { event }
    }

    enum Later: SequentialTransducer, InitialState {
        typealias First = Two
        typealias Second = Pulse
        static func next(_ result: Two.Output, from state: Two.State) -> Pulse.State {
            Pulse.State()
        }
    }

    /// Takes the failure of a side from everybody, but no event for the second side.
    enum Open: ParallelTransducer, InitialState {
        typealias First = Pulse
        typealias Second = Pulse
        typealias Rule = EndsWithAll
        static let internalEvents = ["second"]
    }

    enum Whole: ReducerTransducer, InitialState {
        struct State: NonTerminal, Codable {
            var clock = Pulse.State()
            var pair = Two.initialState
        }
        enum Event: Codable, Sendable { case clock(Pulse.Event), pair(Two.Event), reset, poll }
        static let internalEvents = ["poll"]
        static var initialState: State { State() }

        static let reducer = Reducer.combine(
            Reducer(Pulse.self).scoped(
                to: Whole.self, state: .at(\.clock), event: CasePath(Event.clock), scope: "clock"
            ).mapID { $0 },
            Reducer(Two.self).scoped(
                to: Whole.self, state: .at(\.pair), event: CasePath(Event.pair),
                env: { _ in PairEnv() }, scope: "pair"),
            Reducer { _, _ in .empty }.onEffectFailure { _ in nil })
    }

    /// A machine that is a reducer of its own events.
    enum Wrapper: ReducerTransducer, InitialState {
        typealias State = Pulse.State
        typealias Event = Pulse.Event
        static var initialState: State { State() }
        static let reducer = Reducer(Pulse.self).scoped(
            to: Wrapper.self, state: .whole, event: .whole)
    }

    enum Shop: EffectTransducer, InitialState {
        struct State: NonTerminal, Codable { var clock = Pulse.State() }
        enum Event: Codable, Sendable { case clock(Pulse.Event), close }
        static let internalEvents = ["close"]
        static var initialState: State { State() }

        static let clock = Child(Pulse.self, of: Shop.self, scope: "clock", state: .at(\.clock)) {
            .clock($0)
        }

        static func internalName(of event: Event) -> String? {
            if case .clock(let event) = event { clock.internalName(of: event) } else { nil }
        }

        static func update(_ state: inout State, event: Event) throws -> Effect? {
            guard case .clock(let event) = event else { return nil }
            return try clock.step(&state, event).effect
        }
    }

    private let two = Definition(Two.self, named: "two", version: "1", env: { PairEnv() })

    /// The name with which an event is refused; `-` for one that clients may send.
    private func refused(_ event: String, by definition: Definition) throws -> String {
        let document = try JSONDocument(parsing: Array(event.utf8))
        let decoded = try definition.machine.decodeEvent(document, at: document.root)
        return definition.internalName(of: decoded) ?? "-"
    }

    @Test func `the sides of a product keep their internal events`() throws {
        #expect(try refused(#"{"type":"first","value":"tick"}"#, by: two) == "first.tick")
        #expect(
            try refused(#"{"type":"first","value":{"type":"worked","value":1}}"#, by: two)
                == "first.worked")
        #expect(try refused(#"{"type":"second","value":"tick"}"#, by: two) == "second.tick")
        #expect(try refused(#"{"type":"first","value":"start"}"#, by: two) == "-")
    }

    @Test func `only a product itself says that a side has failed`() throws {
        let failed = #"{"type":"failed","value":{"side":"first","reason":"I say so"}}"#
        #expect(try refused(failed, by: two) == "failed")
        #expect(two.takes?.filter(\.isInternal).map(\.event.name) == ["failed"])
        let open = Definition(Open.self, named: "open", version: "1", env: { PairEnv() })
        #expect(try refused(failed, by: open) == "-")
        #expect(try refused(#"{"type":"second","value":"start"}"#, by: open) == "second")
        #expect(try refused(#"{"type":"first","value":"tick"}"#, by: open) == "first.tick")
    }

    @Test func `pipes and sequences ask their machines, at any depth`() throws {
        let fed = Definition(Fed.self, named: "fed", version: "1", env: { PairEnv() })
        #expect(try refused(#"{"type":"first","value":"tick"}"#, by: fed) == "first.tick")
        #expect(try refused(#"{"type":"second","value":3}"#, by: fed) == "-")
        let later = Definition(
            Later.self, named: "later", version: "1", env: { PairEnv(first: PairEnv(), second: ()) }
        )
        func inner(_ event: String) -> String { #"{"type":"first","value":\#(event)}"# }
        #expect(
            try refused(inner(#"{"type":"second","value":"tick"}"#), by: later)
                == "first.second.tick")
        let failure = #"{"type":"failed","value":{"side":"first","reason":""}}"#
        #expect(try refused(inner(failure), by: later) == "first.failed")
        #expect(try refused(#"{"type":"second","value":"tick"}"#, by: later) == "second.tick")
        #expect(try refused(#"{"type":"second","value":"start"}"#, by: later) == "-")
    }

    @Test func `reducers of machines keep their internal events`() throws {
        let whole = Definition(Whole.self, named: "whole", version: "1")
        #expect(try refused(#"{"type":"clock","value":"tick"}"#, by: whole) == "clock.tick")
        #expect(try refused(#"{"type":"clock","value":"start"}"#, by: whole) == "-")
        #expect(
            try refused(
                #"{"type":"pair","value":{"type":"second","value":"tick"}}"#, by: whole)
                == "pair.second.tick")
        #expect(try refused(#""poll""#, by: whole) == "poll")
        #expect(try refused(#""reset""#, by: whole) == "-")
        let wrapper = Definition(Wrapper.self, named: "wrapper", version: "1")
        #expect(try refused(#""tick""#, by: wrapper) == "tick")
        #expect(try refused(#""start""#, by: wrapper) == "-")
    }

    @Test func `a machine asks its children, and keeps its own names`() throws {
        let shop = Definition(Shop.self, named: "shop", version: "1")
        #expect(try refused(#"{"type":"clock","value":"tick"}"#, by: shop) == "clock.tick")
        #expect(try refused(#"{"type":"clock","value":"start"}"#, by: shop) == "-")
        #expect(try refused(#""close""#, by: shop) == "close")
    }
}
