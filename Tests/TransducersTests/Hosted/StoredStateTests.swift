import OrderedJSON
import Testing
import Transducers

/// States and events that an earlier version has stored (`StoredState`).
@Suite("StoredState")
struct StoredStateTests {
    /// A table of a restaurant, in its second version.
    enum Table: Transducer, InitialState {
        struct Guest: Codable, Sendable, Equatable {
            var name = "nobody"
            var seat = 1
        }
        struct State: NonTerminal, Codable, Sendable, Equatable {
            var guests = 0
            var tip = 5
            var note: String? = "new"
            var host = Guest()
            var others: [Guest] = []
        }
        enum Event: Codable, Sendable { case look, pay(amount: Int) }
        struct Unmigratable: Error {}

        static let initialState = State()

        static func update(_ state: inout State, event: Event) -> State { state }

        static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
            guard case .object(var object) = state, let persons = object["persons"] else {
                if state["broken"] != nil { throw Unmigratable() }
                return state
            }
            object["persons"] = nil
            object["guests"] = persons
            return .object(object)
        }

        static func migrate(event: JSONValue) throws -> JSONValue {
            if event.string == "broken" { throw Unmigratable() }
            guard event["type"]?.string == "settle", let sum = event["sum"] else { return event }
            return ["type": "pay", "amount": sum]
        }
    }

    private let definition = Definition(Table.self, named: "table", version: "1.10")

    /// The state as the machine writes it, or why it can't read it.
    private func read(_ state: String, from version: String? = "1.10") throws -> String {
        do throws(StepFailure) {
            let instance = try definition.machine.restoreInstance(
                state: Array(state.utf8), from: version)
            var step = StepBuffer()
            try instance.describeInitial(into: &step)
            return String(decoding: step.state.bytes, as: UTF8.self)
        } catch {
            guard case .evaluation(let reason) = error else { throw error }
            return reason
        }
    }

    @Test func `new members get their initial values, at any depth`() throws {
        #expect(
            try read(#"{"guests":2,"others":[]}"#)
                == #"{"guests":2,"tip":5,"host":{"name":"nobody","seat":1},"others":[]}"#)
        #expect(
            try read(#"{"guests":2,"note":"x","host":{"name":"ann"},"others":[]}"#)
                == #"{"guests":2,"tip":5,"note":"x","host":{"name":"ann","seat":1},"others":[]}"#)
    }

    @Test func `a state from elsewhere has to be complete`() throws {
        #expect(try read(#"{"guests":2,"others":[]}"#, from: nil).contains("\"tip\""))
    }

    @Test func `an optional that was nil stays so`() throws {
        #expect(try !read(#"{"guests":2,"others":[]}"#).contains("note"))
    }

    @Test func `a renamed member is no new one`() throws {
        #expect(
            try read(#"{"visitors":2,"others":[]}"#)
                == "the stored state doesn't fit: the member \"guests\" is missing at $.guests, "
                + "and nothing reads \"visitors\": the machine's migrate(state:from:) is to say "
                + "what becomes of it")
    }

    @Test func `an earlier state may lose no member to an optional's new name`() throws {
        let loss =
            "the stored state doesn't fit: there is no member at $.note, and nothing reads "
            + "$.remark: the machine's migrate(state:from:) is to say what becomes of it"
        let old = #"{"guests":2,"tip":1,"remark":"x","host":{"name":"a","seat":1},"others":[]}"#
        #expect(try read(old, from: "1.9") == loss)
        // The same version has no other names.
        #expect(try !read(old).contains("remark"))
    }

    @Test(arguments: [
        // No optional is absent.
        #"{"guests":2,"tip":1,"note":"n","remark":"x","host":{"name":"a","seat":1},"others":[]}"#,
        // No text can be the value of the optional one.
        #"{"guests":2,"tip":1,"remark":5,"host":{"name":"a","seat":1},"others":[]}"#,
        // Null is nothing to lose.
        #"{"guests":2,"tip":1,"remark":null,"host":{"name":"a","seat":1},"others":[]}"#,
    ])
    func `a removed member is ignored if no other can be its successor`(old: String) throws {
        #expect(try read(old, from: "1.9").hasPrefix(#"{"guests":2,"tip":1,"#))
    }

    @Test(arguments: [
        #"{"guests":2,"note":"n","host":{"name":"a","seat":1,"tip":9},"others":[]}"#,
        #"{"guests":2,"note":"n","host":{"name":"a","seat":1},"others":[{"name":"b","seat":2,"#
            + #""tip":9}]}"#,
    ])
    func `an earlier state may lose no member to another place`(old: String) throws {
        let reason = try read(old, from: "1.9")
        #expect(reason.contains("there is no member at $.tip, and nothing reads $."))
        #expect(reason.contains(".tip: the machine's migrate(state:from:)"))
    }

    @Test func `elements of lists get no initial values`() throws {
        #expect(
            try read(#"{"guests":1,"others":[{"name":"bob"}]}"#)
                == "the stored state doesn't fit: the member \"seat\" is missing at "
                + "$.others[0].seat")
        #expect(try read(#"{"guests":"two"}"#).contains("expected an integer"))
        #expect(try read("[").hasPrefix("the stored state is no JSON"))
    }

    @Test func `a machine migrates states of earlier versions, and of no others`() throws {
        let old = #"{"persons":3,"others":[]}"#
        #expect(try read(old, from: "1.9").hasPrefix(#"{"guests":3,"tip":5"#))
        for version in ["1.10", "1.11", "2", nil] {
            #expect(try read(old, from: version).contains("nothing reads \"persons\""))
        }
    }

    @Test func `a migration that throws says so, with the version`() throws {
        #expect(
            try read(#"{"broken":1}"#, from: "1.0")
                == "the stored state of version 1.0 can't be migrated: Unmigratable()")
        #expect(try read("nonsense", from: "1.0").hasPrefix("the stored state is no JSON"))
    }

    @Test func `a stored event that can't be read is migrated`() throws {
        func event(_ event: JSONValue) throws -> String {
            let decoded = try definition.machine.decodeEvent(event)
            return String(decoding: try decoded.canonicalText(), as: UTF8.self)
        }
        #expect(
            try event(["type": "settle", "sum": 5]) == #"{"type":"pay","amount":5}"#)
        #expect(try event("look") == #""look""#)
        let unknown = #expect(throws: EventError.self) { try event("wave") }
        #expect(unknown?.message == "there is no case \"wave\"")
        let broken = #expect(throws: EventError.self) { try event("broken") }
        #expect(broken?.message == "it can't be migrated: Unmigratable()")
        // A client's event is read as it is.
        let document = try JSONDocument(parsing: Array(#"{"type":"settle","sum":5}"#.utf8))
        #expect(throws: EventError.self) {
            try definition.machine.decodeEvent(document, at: document.root)
        }
    }

    @Test(arguments: [
        ("1.9", "1.10"), ("1", "1.0"), ("1.0.0", "1.0.1"), ("1.0-a", "1.0-b"), ("", "1"),
        ("2", "10"), ("a", "b"), ("1.0.0", "2"), ("1.0.0-rc.1", "1.0.0"), ("1.0-rc", "1.0-rc.1"),
        ("2024-11", "2024-11-01"), ("0+a1b2c3d4", "0.1.0"),
    ])
    func `versions have an order`(one: String, other: String) {
        #expect(one.isEarlierVersion(than: other))
        #expect(!other.isEarlierVersion(than: one))
        #expect(!one.isEarlierVersion(than: one))
    }

    @Test func `versions that are hashes have no order`() {
        #expect(!"0+a".isEarlierVersion(than: "0+b") && !"0+b".isEarlierVersion(than: "0+a"))
        #expect("0+a".isHashVersion && !"0.1".isHashVersion)
    }
}
