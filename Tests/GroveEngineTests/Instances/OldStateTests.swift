import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// States that an earlier version of a machine has stored, read by an import, a
/// replay, and requests that ask for states by name.
@Suite("states of an earlier version")
struct OldStateTests {
    private let order: JSONValue = ["type": "order", "price": 3]

    // MARK: Import

    private func ask(
        _ bench: EffectBench, _ to: String, _ state: String, from version: String?,
        dedup: String? = nil
    ) throws -> String {
        let name = try #require(InstanceName(to))
        let item = Import(
            to: name, version: 4, state: Array(state.utf8), definitionVersion: version,
            dedup: dedup.map { Array($0.utf8) })
        return try bench.ask(.importing(item)).summary
    }

    @Test func `an import gives the version, and the state is migrated`() throws {
        let bench = try EffectBench([NewBill.definition])
        #expect(try ask(bench, "bill/a", #"{"bill":7}"#, from: "1") == "v4 changed")
        #expect(try bench.text(of: "bill/a") == #"{"sum":7,"status":"open"}"#)
        let name = try #require(InstanceName("bill/a"))
        #expect(try bench.store.instance(named: name)?.definitionVersion == "2")
        let refusal = try ask(bench, "bill/b", #"{"bill":7}"#, from: nil)
        #expect(refusal.contains("nothing reads"))
        // States of the present version may lack members that were added without a new version.
        #expect(try ask(bench, "bill/b", #"{"sum":7}"#, from: "2") == "v4 changed")
        #expect(try ask(bench, "bill/c", #"{"sum":7}"#, from: nil).contains("status"))
    }

    @Test func `a state of a later version is refused, with the place of the version`() throws {
        let bench = try EffectBench([NewBill.definition])
        let name = try #require(InstanceName("bill/a"))
        let item = Import(
            to: name, version: 1, state: Array(#"{"sum":1,"status":"open"}"#.utf8),
            definitionVersion: "2.1")
        guard case .failure(.badRequest(let path, let message)) = try bench.ask(.importing(item))
        else { throw Problem("it was taken") }
        #expect(path == "$.definition.version")
        #expect(
            message == "the state was stored by version 2.1 of machine bill, and this server has "
                + "the earlier 2")
        #expect(try bench.store.instance(named: name) == nil)
    }

    @Test func `the same import is recognized, also by a later version`() throws {
        let before = try EffectBench([OldBill.definition])
        let (state, line) = (#"{"bill":7}"#, "line-1")
        #expect(try ask(before, "bill/a", state, from: "1", dedup: line) == "v4 changed")
        #expect(try ask(before, "bill/b", state, from: "1") == "v4 changed")
        let bench = try EffectBench([NewBill.definition], store: before.store)
        #expect(
            try ask(bench, "bill/a", #"{ "bill": 7 }"#, from: "1", dedup: line) == "v4 changed dup")
        #expect(
            try ask(bench, "bill/a", #"{"bill":8}"#, from: "1", dedup: line)
                == "dedupMismatch(version: 4)")
        // Without a key, the present state is compared as the present machine reads it.
        #expect(try ask(bench, "bill/b", state, from: "1") == "v4")
        #expect(
            try ask(bench, "bill/b", #"{"bill":8}"#, from: "1")
                == "alreadyExists(bill/b, version: 4)")
    }

    // MARK: Replay

    private func replay(
        _ store: any Store, _ definition: Definition, isUntold: Bool = false
    ) throws -> (found: [String], steps: Int64, skipped: Int64) {
        var replay = Replay(catalogue: try Catalogue([definition]))
        var found: [String] = []
        for var record in try store.records(after: 0, limit: .max, bytes: .max) {
            if isUntold { record.definitionVersion = nil }
            if let divergence = replay.replay(record) {
                found.append("\(divergence.instance) v\(divergence.version) \(divergence.what)")
            }
        }
        return (found, replay.steps, replay.skipped)
    }

    /// A store with events of the first version, and after them some of the second version.
    private func history() throws -> any Store {
        let before = try EffectBench([OldBill.definition])
        for _ in 0..<3 { try before.send(order, to: "bill/a") }
        try before.send("ring", to: "bill/a")
        try before.send("ring", to: "bill/b")
        #expect(try ask(before, "bill/c", #"{"bill":7}"#, from: nil) == "v4 changed")
        try before.send(order, to: "bill/c")
        let bench = try EffectBench([NewBill.definition], store: before.store)
        // A step that changes only the form, and one that changes nothing.
        try bench.send("call", to: "bill/a")
        try bench.send("call", to: "bill/a")
        try bench.send(order, to: "bill/a")
        try bench.send("pay", to: "bill/c")
        return bench.store
    }

    @Test func `a replay migrates states and events of an earlier version`() throws {
        let store = try history()
        let outcome = try replay(store, NewBill.definition)
        #expect(outcome.found == [])
        #expect(outcome.steps == 10 && outcome.skipped == 0)
    }

    @Test func `a replay reports states that weren't migrated`() throws {
        let outcome = try replay(try history(), RashBill.definition)
        let words = "the state can't be read: "
        #expect(outcome.found.count == 3)
        #expect(outcome.found.first?.hasPrefix("bill/a v0 \(words)") == true)
        #expect(outcome.found.allSatisfy { $0.contains("nothing reads \"bill\"") })
        #expect(outcome.steps == 0 && outcome.skipped == 10)
    }

    @Test func `a journal without versions is replayed as far as it can be read`() throws {
        let store = try history()
        let outcome = try replay(store, NewBill.definition, isUntold: true)
        #expect(outcome.found == [])
        #expect(outcome.steps == 0 && outcome.skipped == 10, "and it says that it wasn't")
    }

    @Test func `the journal records a version once, where it begins`() throws {
        let store = try history()
        let told = try store.records(after: 0, limit: .max, bytes: .max).compactMap { record in
            record.definitionVersion.map { "\(record.name?.text ?? "") v\(record.version) \($0)" }
        }
        #expect(
            told == [
                "bill/a v0 1", "bill/b v0 1", "bill/c v4 1", "bill/a v5 2", "bill/c v6 2",
            ])
    }

    // MARK: Names of states

    private func listed(_ bench: EffectBench, _ state: String) throws -> [String] {
        var list = List()
        list.machine = "bill"
        list.state = state
        let token = try bench.begin(.list(list))
        try bench.work()
        guard case .listed(let items, _)? = bench.answers[token] else { throw Problem("no page") }
        return items.map(\.name.text)
    }

    @Test func `an old state has its present name, in list and await`() throws {
        let before = try EffectBench([OldBill.definition])
        try before.send(order, to: "bill/a")
        try before.send(order, to: "bill/b")
        let recorder = WitnessRecorder()
        let bench = try EffectBench([NewBill.definition], store: before.store)
        try bench.restart { $0.witness = recorder }
        try bench.send("pay", to: "bill/b")
        _ = recorder.take()
        #expect(try listed(bench, "open") == ["bill/a"])
        #expect(try listed(bench, "paid") == ["bill/b"])
        #expect(recorder.take().filter { $0 == "bill/a 0 " }.count == 2, "to read runs its code")
        let name = try #require(InstanceName("bill/a"))
        let wanted = Await(to: name, until: .state("open"), timeout: 1_000)
        guard case .got(let got) = try bench.ask(.await(wanted)) else { throw Problem("no answer") }
        #expect(got.version == 1)
    }

    @Test func `the state of a set-aside instance isn't read for its name`() throws {
        let before = try EffectBench([OldBill.definition])
        try before.send(order, to: "bill/a")
        let recorder = WitnessRecorder()
        let bench = try EffectBench([NewBill.definition], store: before.store)
        try bench.restart { $0.witness = recorder }
        try bench.setAside(.instance(try #require(InstanceName("bill/a"))), version: "2")
        _ = recorder.take()
        #expect(try listed(bench, "open") == [])
        #expect(recorder.take() == [])
    }
}
