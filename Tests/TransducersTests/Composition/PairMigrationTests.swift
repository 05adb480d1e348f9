import OrderedJSON
import Testing
import Transducers

/// States and events of pairs that an earlier version has stored.
@Suite("Migration of pairs")
struct PairMigrationTests {
    /// A bill in its second version: `bill` is `sum` now, and `go` is `pay`.
    enum Bill: Transducer, InitialState {
        struct State: Terminable, Codable {
            var sum = 0
            var isPaid = false
            var isTerminal: Bool { isPaid }
        }
        enum Event: Codable, Sendable { case pay, show }
        struct Unmigratable: Error {}
        static var initialState: State { State() }

        static func update(_ state: inout State, event: Event) -> Int {
            if case .pay = event { state.isPaid = true }
            return state.sum
        }

        static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
            guard case .object(var members) = state, let bill = members["bill"] else {
                return state
            }
            if bill.string != nil { throw Unmigratable() }
            members["bill"] = nil
            members["sum"] = bill
            return .object(members)
        }

        static func migrate(event: JSONValue) throws -> JSONValue {
            event.string == "go" ? "pay" : event
        }
    }

    typealias Both = Parallel<Bill, Bill, EndsWithAll>
    enum Later: SequentialTransducer, InitialState {
        typealias First = Silenced<Bill>
        typealias Second = Both
        static func next(_ result: NoOutput, from state: Bill.State) -> Both.State {
            Both.initialState
        }
    }

    private let both = Definition(Both.self, named: "both", version: "2", env: { PairEnv() })
    private let later = Definition(
        Later.self, named: "later", version: "2", env: { PairEnv(first: (), second: PairEnv()) })

    /// The state as the definition's machine writes it, or why it can't read it.
    private func read(_ state: String, by definition: Definition) throws -> String {
        do throws(StepFailure) {
            let instance = try definition.machine.restoreInstance(
                state: Array(state.utf8), from: "1")
            var step = StepBuffer()
            try instance.describeInitial(into: &step)
            return String(decoding: step.state.bytes, as: UTF8.self)
        } catch {
            guard case .evaluation(let reason) = error else { throw error }
            return reason
        }
    }

    @Test func `each side migrates its state`() throws {
        #expect(
            try read(#"{"first":{"bill":5},"second":{"sum":2,"isPaid":true}}"#, by: both)
                == #"{"first":{"sum":5,"isPaid":false},"second":{"sum":2,"isPaid":true}}"#)
        #expect(
            try read(#"{"first":{"sum":1},"second":{"bill":7}}"#, by: both)
                == #"{"first":{"sum":1,"isPaid":false},"second":{"sum":7,"isPaid":false}}"#)
        let failed =
            #"{"first":{"sum":5,"isPaid":false},"second":{"sum":7,"isPaid":false},"#
            + #""failure":{"side":"first","reason":"x"}}"#
        #expect(
            try read(failed.replacing(#""sum":5"#, with: #""bill":5"#), by: both) == failed)
    }

    @Test func `a sequence migrates the state of the machine that runs`() throws {
        #expect(
            try read(#"{"type":"first","value":{"bill":5}}"#, by: later)
                == #"{"type":"first","value":{"sum":5,"isPaid":false}}"#)
        let inner = #""second":{"sum":7,"isPaid":false}}}"#
        #expect(
            try read(
                #"{"type":"second","value":{"first":{"bill":5,"isPaid":true},"# + inner, by: later)
                == #"{"type":"second","value":{"first":{"sum":5,"isPaid":true},"# + inner)
    }

    @Test func `a side that can't migrate its state says so`() throws {
        #expect(
            try read(#"{"first":{"sum":1},"second":{"bill":"much"}}"#, by: both)
                == "the stored state of version 1 can't be migrated: Unmigratable()")
    }

    @Test func `each side migrates its events`() throws {
        func migrated(_ event: JSONValue, by definition: Definition) throws -> String {
            let decoded = try definition.machine.decodeEvent(event)
            return String(decoding: try decoded.canonicalText(), as: UTF8.self)
        }
        let second: JSONValue = ["type": "second", "value": "go"]
        #expect(try migrated(second, by: both) == #"{"type":"second","value":"pay"}"#)
        #expect(
            try migrated(["type": "first", "value": "go"], by: later)
                == #"{"type":"first","value":"pay"}"#)
        #expect(
            try migrated(["type": "second", "value": second], by: later)
                == #"{"type":"second","value":{"type":"second","value":"pay"}}"#)
        #expect(throws: EventError.self) {
            try both.machine.decodeEvent(["type": "third", "value": "go"])
        }
    }
}
