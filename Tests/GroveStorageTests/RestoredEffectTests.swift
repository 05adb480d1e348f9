import Foundation
import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveStorage

/// Starts a handler for each event.
private enum Payer: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var paid = 0 }
    enum Event: String, Codable, Sendable { case pay, paid }
    typealias Output = String?
    static let initialState = State()
    static func update(_ state: inout State, event: Event) -> (Effect?, String?) {
        switch event {
        case .pay: return (.perform("bank", argument: 1, then: "paid"), nil)
        case .paid:
            state.paid += 1
            return (nil, nil)
        }
    }
}

/// A restored backup is another log with the same effects: receivers of calls must
/// recognize repeats.
@Suite("Effects of a restored backup")
struct RestoredEffectTests {
    private let now = Timestamp(milliseconds: 1_000)

    private func makeEngine(_ store: any Store) throws -> Engine {
        var options = EngineOptions()
        options.handlers["bank"] = HandlerTraits(concurrencyMax: 8)
        return Engine(
            catalogue: try Catalogue([Definition(Payer.self, named: "payer", version: "1")]),
            store: store, options: options)
    }

    /// The idempotency keys of dispatched attempts after an event, if there is one.
    private func keys(
        _ engine: inout Engine, _ store: any Store, paying name: String? = nil
    ) throws -> [String] {
        if let name {
            let machine = Definition(Payer.self, named: "payer", version: "1").machine
            let event = try machine.decodeEvent("pay")
            let send = Send(
                to: try #require(InstanceName("payer/\(name)")), event: .decoded(event),
                eventText: Array("\"pay\"".utf8))
            try engine.receive(
                Request(connection: ConnectionID(1), token: 1, operation: .send(send)), at: now,
                store: store)
        }
        return try engine.flush(to: store, at: now).dispatches.map(\.key)
    }

    private func copy(_ store: SQLiteStore) throws -> String {
        let backup = try store.beginBackup()
        defer { backup.end() }
        while backup.progress.bytes == nil { try backup.step() }
        let path = TestDirectory.make() + "/copy.grove"
        let bytes = try backup.read(at: 0, count: Int(backup.progress.bytes ?? 0))
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `restored effects keep their keys, and new ones have others`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var engine = try makeEngine(store)
        let first = try keys(&engine, store, paying: "a")
        #expect(first.count == 1)
        var path = try copy(store)
        // An effect after the copy gets a number that the original uses, too.
        let behind = try keys(&engine, store, paying: "b")
        try store.close()
        for round in 0..<2 {
            let restored = try SQLiteStore.open(path: path)
            #expect(restored.logID != store.logID)
            var engine = try makeEngine(restored)
            #expect(try keys(&engine, restored) == first)
            let new = try keys(&engine, restored, paying: "b")
            #expect(new.count == 1 && behind.count == 1 && new != behind)
            let tails = [new, behind].map { $0.map { $0.split(separator: "-").dropFirst() } }
            #expect((tails[0] == tails[1]) == (round == 0), "the number is given again")
            // And a copy of the copy, after its new effects have ended.
            let name = try #require(InstanceName("payer/b"))
            try engine.receive(
                Request(connection: ConnectionID(1), token: 1, operation: .delete(name)), at: now,
                store: restored)
            _ = try keys(&engine, restored)
            path = try copy(restored)
            try restored.close()
        }
    }

    @Test(arguments: [false, true])
    func `effects of a file of schema 3 keep their keys`(
        isCopy: Bool
    ) throws {
        var path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("payer/a", state: Array(#"{"paid":0}"#.utf8))
        model.create("payer/b", state: Array(#"{"paid":0}"#.utf8))
        for name in ["payer/a", "payer/a", "payer/b"] {
            let ref = model.begin(name, lane: "bank")
            guard var row = model.effects[ref] else { continue }
            row.body.run = HostedRun(
                key: HostedKey(id: nil), work: .perform(handler: "bank", argument: 1))
            model.write(row, ref, isNew: true)
        }
        let timer = model.begin("payer/b", due: 5_000)
        try store.commit(model.takeWrites())
        let old = store.logID
        if isCopy { path = try copy(store) }
        try store.close()
        try makeOld(path, schema: 3)
        let opened = try SQLiteStore.open(path: path)
        #expect((opened.logID == old) == !isCopy)
        let rows = try opened.effects(after: nil, limit: 10)
        #expect(rows.map(\.body.log) == [old.digits, old.digits, old.digits, nil])
        var expected = model.effects
        for ref in expected.keys where ref != timer { expected[ref]?.body.log = old.digits }
        #expect(rows == expected.values.sorted { $0.ref < $1.ref })
        #expect(try opened.checkAll().isEmpty)
        var engine = try makeEngine(opened)
        #expect(
            try keys(&engine, opened).sorted()
                == ["1-1", "1-2", "2-1"].map { "\(old.digits)-\($0)" })
        try opened.close()
    }
}
