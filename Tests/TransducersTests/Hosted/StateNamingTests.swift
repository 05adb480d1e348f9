import OrderedJSON
import Testing
import Transducers

/// The names of states, and a definition's knowledge of its types.
@Suite("StateNaming")
struct StateNamingTests {
    /// A machine with any state; it takes nothing.
    enum Holding<State: NonTerminal & Codable & Sendable & Made>: Transducer, InitialState {
        enum Event: Codable, Sendable { case nothing }
        static var initialState: State { State.made }
        static func update(_ state: inout State, event: Event) -> Int { 0 }
    }

    protocol Made { static var made: Self { get } }

    enum Phase: String, Codable { case early, late }
    struct ByStatus: NonTerminal, Codable, Made {
        var count = 0
        var status = Phase.early
        static var made: Self { Self() }
    }
    struct ByText: NonTerminal, Codable, Made {
        var status = "fresh"
        static var made: Self { Self() }
    }
    struct ByNumber: NonTerminal, Codable, Made {
        var status = 3
        static var made: Self { Self() }
    }
    enum ByCase: NonTerminal, Codable, Made {
        case idle, busy(with: Int)
        static var made: Self { .idle }
    }
    struct Inner: NonTerminal, Codable, Made {
        enum Status: Codable { case open, held(by: String) }
        var status = Status.open
        static var made: Self { Self() }
    }

    private func naming<State: NonTerminal & Codable & Sendable & Made>(
        _ state: State.Type
    ) -> StateNaming {
        Definition(Holding<State>.self, named: "m", version: "1").naming
    }

    private func name(_ naming: StateNaming, _ json: String) -> String? {
        naming.name(of: Array(json.utf8))
    }

    @Test func `a struct is called by its member status, an enum by its case`() {
        let status = naming(ByStatus.self)
        #expect(status.exists && status.known == ["early", "late"])
        #expect(name(status, #"{"count":1,"status":"late"}"#) == "late")
        #expect(name(status, #"{"count":1}"#) == nil)
        let inner = naming(Inner.self)
        #expect(inner.known == ["open", "held"])
        #expect(name(inner, #"{"status":{"type":"held","by":"me"}}"#) == "held")
        let cases = naming(ByCase.self)
        #expect(cases.known == ["idle", "busy"])
        #expect(name(cases, #"{"type":"busy","with":1}"#) == "busy")
    }

    @Test func `a status that is a text has unknown names`() {
        let text = naming(ByText.self)
        #expect(text.exists && text.known == nil && name(text, #"{"status":"x"}"#) == "x")
        let number = naming(ByNumber.self)
        #expect(!number.exists && name(number, #"{"status":3}"#) == nil)
    }

    /// Names its states itself.
    enum Named: Transducer, InitialState, DescribedTransducer {
        struct State: NonTerminal, Codable, Sendable {
            var status = "never shown"
            var count = 0
        }
        enum Event: String, Codable, Sendable, CaseIterable { case more = "+", less = "-" }
        static var initialState: State { State() }
        static func name(of state: State) -> String? { state.count == 0 ? "none" : "some" }
        static func update(_ state: inout State, event: Event) -> Int { 0 }
    }

    @Test func `the machine's own name comes first`() {
        let definition = Definition(Named.self, named: "m", version: "1")
        #expect(definition.naming.exists && definition.naming.known == nil)
        #expect(name(definition.naming, #"{"status":"x","count":2}"#) == "some")
        #expect(name(definition.naming, #"{"status":"x"}"#) == nil, "it can't be read")
        let takes: [TakenEvent]? = definition.takes
        #expect(takes?.map(\.event.name) == ["+", "-"])
    }

    /// Knows states of its first version, which had another member.
    enum Changed<State: NonTerminal & Codable & Sendable & Made>: Transducer, InitialState {
        enum Event: Codable, Sendable { case nothing }
        static var initialState: State { State.made }
        static func update(_ state: inout State, event: Event) -> Int { 0 }
        static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
            state["phase"].map { ["count": 1, "status": $0] } ?? ["type": "busy", "with": 7]
        }
    }

    @Test func `a state of an earlier version is called as it is after its migration`() {
        let status = Definition(Changed<ByStatus>.self, named: "m", version: "1.10").naming
        let old = Array(#"{"phase":"late"}"#.utf8)
        #expect(status.name(of: old, from: "1.9") == "late")
        #expect(status.name(of: old, from: "1.10") == nil && status.name(of: old) == nil)
        #expect(status.writtenName(of: old) == nil)
        let cases = Definition(Changed<ByCase>.self, named: "m", version: "2").naming
        let idle = Array(#""idle""#.utf8)
        #expect(cases.name(of: idle, from: "1") == "busy", "it means another one now")
        #expect(cases.name(of: idle, from: "2") == "idle" && cases.writtenName(of: idle) == "idle")
    }

    @Test func `a new member gives a name, as it does for events`() {
        let status = naming(ByStatus.self)
        #expect(status.name(of: Array(#"{"count":1}"#.utf8), from: "1") == "early")
        let own = Definition(Named.self, named: "m", version: "2").naming
        #expect(own.name(of: Array(#"{"status":"x"}"#.utf8), from: "1") == "none")
        #expect(own.writtenName(of: Array(#"{"status":"x","count":0}"#.utf8)) == nil)
    }

    // MARK: Faults

    enum Mistaken: Transducer, InitialState {
        struct State: NonTerminal, Codable, Sendable {}
        enum Event: Codable, Sendable { case fine, wrong(type: Int) }
        static let internalEvents = ["fine", "fnie"]
        static var initialState: State { State() }
        static func update(_ state: inout State, event: Event) -> Int { 0 }
    }

    @Test func `a label type and an unknown event name are errors of the definition`() {
        let faults = Definition(Mistaken.self, named: "m", version: "1").faults
        #expect(faults.count == 2)
        #expect(faults.first?.contains("the event \"wrong\" has a value with the label") == true)
        #expect(faults.last?.contains("\"fnie\"") == true)
        #expect(faults.last?.contains("one of fine, wrong") == true)
    }

    @Test func `the error for an unknown event name lists the known ones`() throws {
        let machine = Definition(Mistaken.self, named: "m", version: "1").machine
        let document = try JSONDocument(parsing: Array(#""fien""#.utf8))
        let error = #expect(throws: EventError.self) {
            try machine.decodeEvent(document, at: document.root)
        }
        // The internal one isn't among them.
        #expect(error?.expected == "one of wrong (type)")
    }
}
