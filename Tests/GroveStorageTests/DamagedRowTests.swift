import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveStorage

/// Starts a timer or a handler, and counts the results.
private enum Worker: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var done = 0 }
    enum Event: String, Codable, Sendable { case wait, work, done }
    typealias Output = String?
    static let initialState = State()
    static func update(_ state: inout State, event: Event) -> (Effect?, String?) {
        switch event {
        case .wait: return (.after(.milliseconds(100), id: "t", .done), nil)
        case .work: return (.perform("job", argument: 1, then: "done"), nil)
        case .done:
            state.done += 1
            return (nil, nil)
        }
    }
}

/// A damaged row of an effect affects its instance only.
@Suite("One damaged effect among others")
struct DamagedRowTests {
    private static let definition = Definition(Worker.self, named: "worker", version: "1")
    private let path = TestDirectory.make() + "/data.grove"

    private func makeEngine(_ store: any Store) throws -> Engine {
        var options = EngineOptions()
        options.handlers["job"] = HandlerTraits(concurrencyMax: 8)
        return Engine(
            catalogue: try Catalogue([Self.definition]), store: store, options: options)
    }

    private func take(
        _ operation: Operation, _ engine: inout Engine, _ store: any Store
    ) throws {
        try engine.receive(
            Request(connection: ConnectionID(1), token: 1, operation: operation),
            at: Timestamp(milliseconds: 1_000), store: store)
    }

    private func get(
        _ name: String, _ engine: inout Engine, _ store: any Store
    ) throws -> String {
        let to = try #require(InstanceName("worker/\(name)"))
        try take(.get(Get(to: to, at: nil)), &engine, store)
        let replies = try engine.flush(to: store, at: Timestamp(milliseconds: 1_000)).replies
        switch replies.first?.reply {
        case .got(let got): return String(decoding: got.state, as: UTF8.self)
        case .failure(let failure): return "\(failure)"
        default: return "?"
        }
    }

    /// Three instances, each with a timer and work for a handler.
    private func prepare() throws {
        let store = try SQLiteStore.open(path: path)
        var engine = try makeEngine(store)
        for name in ["a", "b", "c"] {
            let to = try #require(InstanceName("worker/\(name)"))
            for text in ["wait", "work"] {
                let event = try Self.definition.machine.decodeEvent(.string(text))
                try take(
                    .send(
                        Send(
                            to: to, event: .decoded(event), eventText: Array("\"\(text)\"".utf8))),
                    &engine, store)
            }
        }
        #expect(
            try engine.flush(to: store, at: Timestamp(milliseconds: 1_000)).dispatches.count == 3)
        try store.close()
    }

    @Test(arguments: [("a", 1), ("b", 1), ("c", 1), ("a", 2), ("b", 2), ("c", 2)])
    func `a damaged row affects no other instance`(owner: String, run: Int) throws {
        try prepare()
        let number = ["a": 1, "b": 2, "c": 3][owner] ?? 0
        try sqlite(
            path, "UPDATE effects SET crc = crc + 1 WHERE number = \(number) AND run = \(run)")
        let store = try SQLiteStore.open(path: path)
        var engine = try makeEngine(store)
        var owners = try engine.flush(to: store, at: Timestamp(milliseconds: 1_000)).dispatches
            .map(\.owner.instance)
        #expect(
            owners.sorted()
                == (run == 2 ? ["a", "b", "c"].filter { $0 != owner } : ["a", "b", "c"]))
        let later = Timestamp(milliseconds: 1_200)
        for _ in 0..<3 {
            try engine.enqueueDue(at: later, store: store)
            owners += try engine.flush(to: store, at: later).dispatches.map(\.owner.instance)
        }
        #expect(owners.count == (run == 2 ? 2 : 3))
        // The search doesn't repeat all the time.
        if let next = engine.nextDue { #expect(next.milliseconds >= later.milliseconds + 1_000) }
        for name in ["a", "b", "c"] where name != owner {
            #expect(try get(name, &engine, store) == #"{"done":1}"#)
        }
        #expect(try get(owner, &engine, store).hasPrefix("storageCorrupt"))
        store.shutDown()
    }

    @Test func `searches that skip damage name it`() throws {
        try prepare()
        try sqlite(path, "UPDATE effects SET crc = crc + 1 WHERE number = 2")
        let store = try SQLiteStore.open(path: path)
        let never = Timestamp(milliseconds: .max)
        func ref(_ number: Int64, _ run: Int64) -> EffectRef {
            EffectRef(instance: InstanceNumber(number), number: run)
        }
        #expect(throws: StoreError.self) { try store.effectsDue(at: never, limit: 9) }
        #expect(throws: StoreError.self) {
            try store.effects(inHandlerQueue: "job", after: nil, limit: 9)
        }
        let due = try store.soundEffectsDue(at: never, limit: 9)
        #expect(due.refs == [ref(1, 1), ref(3, 1)] && due.damaged == [ref(2, 1)])
        #expect(due.due == Timestamp(milliseconds: 1_100))
        let one = try store.soundEffectsDue(at: never, limit: 1)
        #expect(one.refs == [ref(1, 1)] && one.damaged.isEmpty)
        let lane = try store.soundEffects(inHandlerQueue: "job", after: nil, limit: 9)
        #expect(lane.refs == [ref(1, 2), ref(3, 2)] && lane.damaged == [ref(2, 2)])
        let behind = try store.soundEffects(inHandlerQueue: "job", after: ref(1, 2), limit: 1)
        #expect(behind.refs == [ref(3, 2)] && behind.damaged == [ref(2, 2)])
        #expect(try store.soundHandlerQueues() == ["job"])
        #expect(
            try store.soundEffects(inHandlerQueue: "other", after: nil, limit: 9) == SoundEffects())
        store.shutDown()
    }
}
