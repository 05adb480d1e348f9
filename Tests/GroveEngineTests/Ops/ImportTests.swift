import BuiltInMachines
import GroveEngine
import GroveTestSupport
import Testing
import Transducers

/// Instances that begin in a given state, at a given version.
@Suite("import")
struct ImportTests {
    private func ask(
        _ harness: EngineHarness, _ to: String, v version: Int64, _ state: String,
        done: Bool = false, result: String? = nil, dedup: String? = nil, trial: Bool = false
    ) throws -> String {
        let item = Import(
            to: try harness.instance(to), version: version, state: Array(state.utf8), isDone: done,
            result: result.map { Array($0.utf8) }, dedup: dedup.map { Array($0.utf8) },
            isTrial: trial)
        return try harness.ask(.importing(item)).summary
    }

    @Test func `an import creates an instance at its old version, which continues`() throws {
        let harness = try EngineHarness()
        _ = try harness.subscribe("s", kinds: [.state, .lifecycle])
        try harness.settle()
        _ = harness.takePublished()
        #expect(try ask(harness, "counter/a", v: 41, #"{ "count" : 7 }"#) == "v41 changed")
        try harness.settle()
        #expect(
            harness.takePublished() == [
                "s 1.0 counter/a@41 created", #"s 1.1 counter/a@41 state null>{"count":7}"#,
            ])
        #expect(try harness.get("counter/a") == #"v41 {"count":7}"#)
        #expect(
            try harness.send("counter/a", #""increment""#, expect: .version(41)) == "v42 changed")
        #expect(try harness.get("counter/a", at: 41) == #"v41 {"count":7}"#)
        #expect(
            try harness.get("counter/a", at: 40)
                == "versionNotHeld(asked: 40, first: 41, actual: 42)")
    }

    @Test(arguments: [1, 2, 9, 63, 64, 65, 100, 4_095, 4_096, 5_000] as [Int64])
    func `history and every version after the first are found`(first: Int64) throws {
        let harness = try EngineHarness()
        _ = try ask(harness, "counter/a", v: first, #"{"count":0}"#)
        for _ in 1...200 { _ = try harness.send("counter/a", #""increment""#) }
        let name = try harness.instance("counter/a")
        for step in [0, 1, 27, 28, 29, 63, 64, 65, 128, 199, 200] as [Int64] {
            let wanted = #"v\#(first + step) {"count":\#(step)}"#
            #expect(try harness.get("counter/a", at: first + step) == wanted)
        }
        for asked in Set([0, first / 2, first - 1]) {
            let refusal = "versionNotHeld(asked: \(asked), first: \(first), actual: \(first + 200))"
            #expect(try harness.get("counter/a", at: asked) == refusal)
        }
        var after: Int64 = 0
        var seen: [Int64] = []
        while true {
            let reply = try harness.ask(.history(History(to: name, after: after, limit: 9)))
            guard case .history(let steps, let next, let begin) = reply else {
                throw Problem("\(reply)")
            }
            #expect(steps.allSatisfy { $0.kind == .step })
            #expect(begin == (after < first ? first + 1 : nil))
            seen += steps.map(\.version)
            guard let next else { break }
            after = next
        }
        #expect(seen == Array(first + 1...first + 200))
    }

    @Test func `a repeated import changes nothing, with a key also after events`() throws {
        let harness = try EngineHarness()
        #expect(try ask(harness, "counter/a", v: 3, #"{"count":3}"#) == "v3 changed")
        #expect(try ask(harness, "counter/a", v: 3, #"{"count":3}"#) == "v3")
        _ = try ask(harness, "counter/b", v: 3, #"{"count":3}"#, dedup: "k")
        _ = try harness.send("counter/b", #""increment""#)
        let head = harness.store.head
        #expect(
            try ask(harness, "counter/b", v: 3, #"{"count":3}"#, dedup: "k") == "v3 changed dup")
        #expect(
            try ask(harness, "counter/b", v: 3, #"{"count":4}"#, dedup: "k")
                == "dedupMismatch(version: 3)")
        #expect(
            try ask(harness, "counter/b", v: 3, #"{"count":3}"#)
                == "alreadyExists(counter/b, version: 4)")
        #expect(
            try ask(harness, "counter/a", v: 4, #"{"count":3}"#)
                == "alreadyExists(counter/a, version: 3)")
        #expect(
            try ask(harness, "counter/a", v: 3, #"{"count":3}"#, done: true)
                == "alreadyExists(counter/a, version: 3)")
        #expect(harness.store.head == head)
    }

    @Test func `an imported done instance stays done`() throws {
        let harness = try EngineHarness(testDefinitions)
        #expect(
            try ask(harness, "counter/a", v: 2, #"{"count":1}"#, done: true, result: #""stopped""#)
                == "v2 changed done")
        #expect(try harness.get("counter/a") == #"v2 {"count":1} done result="stopped""#)
        #expect(
            try harness.send("counter/a", #""increment""#)
                == "instanceDone(counter/a, version: 2)")
        #expect(
            try ask(harness, "counter/b", v: 2, #"{"count":1}"#, result: "1")
                .contains("only a done instance has a result"))
    }

    @Test func `a suspended machine accepts imports, and events after a resume`() throws {
        let harness = try EngineHarness()
        _ = try harness.ask(.suspend(.machine("counter"), reason: nil))
        #expect(try ask(harness, "counter/a", v: 3, #"{"count":3}"#) == "v3 changed")
        #expect(try !harness.send("counter/a", #""increment""#).hasPrefix("v"))
        _ = try harness.ask(.resume(.machine("counter")))
        #expect(try harness.send("counter/a", #""increment""#) == "v4 changed")
    }

    @Test func `a trial checks everything and does nothing`() throws {
        let harness = try EngineHarness()
        #expect(try ask(harness, "counter/a", v: 1, #"{"count":1}"#, trial: true) == "v1 changed")
        #expect(harness.store.head == 0)
        #expect(try harness.get("counter/a") == "noSuchInstance(counter/a)")
        _ = try ask(harness, "counter/a", v: 1, #"{"count":1}"#)
        #expect(
            try ask(harness, "counter/a", v: 2, #"{"count":1}"#, trial: true)
                == "alreadyExists(counter/a, version: 1)")
    }

    @Test(arguments: [
        ("counter/a", "5", "no such state"), ("counter/a", #"{"cnt":1}"#, "no such state"),
        ("counter/a", "{}", "count"),
        ("turnstile/a", #""ajar""#, "no such state"), ("door/a", "{}", "noSuchMachine"),
    ])
    func `a state that isn't the machine's is refused`(
        to: String, state: String, words: String
    ) throws {
        let harness = try EngineHarness()
        #expect(try ask(harness, to, v: 1, state).contains(words))
        #expect(harness.store.head == 0)
    }

    @Test func `a full disk refuses an import, which can be repeated later`() throws {
        let store = FullStore(MemoryStore())
        let catalogue = try Catalogue(BuiltInMachines.definitions)
        var engine = Engine(catalogue: catalogue, store: store)
        let name = try #require(InstanceName("counter/a"))
        let item = Import(to: name, version: 9, state: Array(#"{"count":1}"#.utf8))
        for isFull in [true, false] {
            store.isFull = isFull
            let request = Request(
                connection: ConnectionID(1), token: 0, operation: .importing(item))
            try engine.receive(request, at: Timestamp(milliseconds: 1), store: store)
            let actions = try engine.flush(to: store, at: Timestamp(milliseconds: 1))
            #expect(actions.replies.map(\.reply.summary) == [isFull ? "storageFull" : "v9 changed"])
        }
    }
}
