import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// An account whose event has an amount.
private enum Account: Transducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var sum = 0 }
    struct Event: Codable, Sendable { var amount: Int }
    static let initialState = State()
    static func update(_ state: inout State, event: Event) throws { state.sum += event.amount }
}

/// The same after an upgrade: the event has one more member, and another order.
private enum NewAccount: Transducer, InitialState {
    typealias State = Account.State

    struct Event: Codable, Sendable {
        var currency: String
        var amount: Int

        private enum Key: String, CodingKey { case currency, amount }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            currency = try values.decodeIfPresent(String.self, forKey: .currency) ?? "EUR"
            amount = try values.decode(Int.self, forKey: .amount)
        }
    }

    static let initialState = State()
    static func update(_ state: inout State, event: Event) throws { state.sum += event.amount }
}

/// The same without such an event.
private enum OtherAccount: Transducer, InitialState {
    typealias State = Account.State
    enum Event: Codable, Sendable { case close }
    static let initialState = State()
    static func update(_ state: inout State, event: Event) throws { state.sum = 0 }
}

@Suite("Dedup keys across an upgrade")
struct UpgradeDedupTests {
    private let store = MemoryStore()

    private func send<Machine>(
        _ text: String, key: String, to machine: Machine.Type
    ) throws -> String
    where
        Machine: Transducer & InitialState & SendableMetatype, Machine.State: Codable & Sendable,
        Machine.Event: Codable & Sendable, Machine.Output == Void
    {
        let definition = Definition(machine, named: "account", version: "\(machine)")
        var engine = Engine(catalogue: try Catalogue([definition]), store: store)
        let document = try JSONDocument(parsing: Array(text.utf8))
        var input: EventInput
        do throws(EventError) {
            input = .decoded(
                try definition.machine.decodeEvent(document, at: document.root))
        } catch {
            input = .undecodable(error)
        }
        let name = try #require(InstanceName("account/a"))
        let send = Send(
            to: name, event: input, eventText: Array(text.utf8), dedup: Array(key.utf8))
        let now = Timestamp(milliseconds: 1)
        try engine.receive(
            Request(connection: ConnectionID(1), token: 1, operation: .send(send)), at: now,
            store: store)
        return try engine.flush(to: store, at: now).replies.map(\.reply.summary).joined()
    }

    @Test func `a repeat is recognized by its bytes after the machine's form changed`()
        throws
    {
        #expect(try send(#"{"amount":5}"#, key: "k", to: Account.self) == "v1 changed")
        for text in [#"{"amount":5}"#, #" { "amount" : 5 } "#] {
            #expect(try send(text, key: "k", to: NewAccount.self) == "v1 changed dup")
            #expect(try send(text, key: "k", to: OtherAccount.self) == "v1 changed dup")
        }
        for text in [#"{"amount":6}"#, #"{"amount":5.0}"#, #"{"amount":5,"currency":"USD"}"#] {
            #expect(
                try send(text, key: "k", to: NewAccount.self) == "dedupMismatch(version: 1)")
        }
    }

    @Test func `members and strings may be spelled differently, in both directions`() throws {
        let first = #"{"currency":"EUR","amount":5}"#
        #expect(try send(first, key: "k", to: NewAccount.self) == "v1 changed")
        let again = #"{"amount":5, "currency":"E\u0055R"}"#
        #expect(try send(again, key: "k", to: OtherAccount.self) == "v1 changed dup")
        // The same event to the machine, with another text.
        #expect(try send(#"{"amount":5}"#, key: "k", to: NewAccount.self) == "v1 changed dup")
    }

    @Test func `the hash of equal JSON is equal, and of other JSON different`() {
        let event = Array(
            #"{"type":"add","amounts":[1,2.5,"three"],"to":{"a":null,"b":true}}"#.utf8)
        let hash = EventHash(written: event)
        // Stored in data files, so it must never change.
        #expect(hash == EventHash(high: 0x4DF1A1A6AAEE97D7, low: 0x036CD654FFCD76A9))
        let others = [
            #"{"type":"add","amounts":[1,"three",2.5],"to":{"a":null,"b":true}}"#,
            #"{"type":"add","amounts":[1,2.5,"three"],"to":{"a":true,"b":null}}"#,
            #"{"type":"add","amounts":[1,2.5,"three"],"to":{"a":null,"b":false}}"#,
            #"{"type":"add","amounts":[1,2.5,"three"],"to":{"a":null},"b":true}"#,
            #"{"type":"add","amounts":[1,2.5,"thref"],"to":{"a":null,"b":true}}"#,
            #"{"type":"add","amounts":[[1,2.5,"three"]],"to":{"a":null,"b":true}}"#,
            #"{"amounts":"add","type":[1,2.5,"three"],"to":{"a":null,"b":true}}"#,
            #"{"type":"add","amounts":[1,2.5,"three"]}"#, "[]", "{}", "null", "0", "0.0", #""""#,
        ].map { EventHash(written: Array($0.utf8)) }
        #expect(Set(others + [hash]).count == others.count + 1)
        let same = #" {"to":{"b":true, "a":null},"amounts":[1,2.50,"thr\u0065e"],"type":"add"}"#
        #expect(EventHash(written: Array(same.utf8)) == hash)
        #expect(EventHash(written: Array("no JSON".utf8)) == nil)
    }

    @Test func `an earlier record recognizes its event by the machine's form only`() throws {
        let old = OldDedups(store)
        #expect(try send(#"{"amount":5}"#, key: "k", to: Account.self) == "v1 changed")
        let entry = try #require(try old.entry("k"))
        #expect(entry.written != nil)
        try old.replace("k", entry)
        #expect(try send(#"{"amount":5}"#, key: "k", to: Account.self) == "v1 changed dup")
        #expect(
            try send(#"{"amount":5}"#, key: "k", to: OtherAccount.self)
                == "dedupMismatch(version: 1)")
    }
}

/// Takes the second hash out of a record.
private struct OldDedups {
    let store: MemoryStore

    init(_ store: MemoryStore) { self.store = store }

    func entry(_ key: String) throws -> DedupEntry? {
        try store.dedup(InstanceNumber(1), key: Array(key.utf8))
    }

    func replace(_ key: String, _ entry: DedupEntry) throws {
        var entry = entry
        entry.written = nil
        var writes = WriteSet(firstSequence: store.head + 1)
        writes.dedups = [
            WriteSet.DedupWrite(number: InstanceNumber(1), key: Array(key.utf8), entry: entry)
        ]
        try store.commit(writes)
    }
}
