import GroveEngine
import OrderedJSON
import Testing
import Transducers

@Suite("create, stop, delete")
struct LifecycleTests {
    private func create(
        _ harness: EngineHarness, _ to: String, dedup: String? = nil, input: JSONValue? = nil
    ) throws -> String {
        try harness.ask(
            .create(
                Create(
                    to: harness.instance(to), input: input,
                    dedup: dedup.map { Array($0.utf8) }))
        ).summary
    }

    @Test func `an instance is of the definition that made its last step, not of one that refused`()
        throws
    {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.send("quiet/a", #"{"type":"set","value":"x"}"#)
        let later = Definition(Quiet.self, named: "quiet", version: "2")
        harness.engine = Engine(catalogue: try Catalogue([later]), store: harness.store)
        func version() throws -> String {
            let reply = try harness.ask(.get(Get(to: harness.instance("quiet/a"), at: nil)))
            guard case .got(let got) = reply else { throw Problem("\(reply)") }
            return got.definition.version
        }
        #expect(try version() == "1")
        #expect(try harness.send("quiet/a", #""crash""#).contains("valuation"))
        #expect(try version() == "1", "nothing has happened to it")
        _ = try harness.ask(.stop(harness.instance("quiet/a"), reason: nil))
        #expect(try version() == "1", "stopping is no step of a definition")
        _ = try harness.ask(.delete(harness.instance("quiet/a")))
        harness.engine = Engine(
            catalogue: try Catalogue(testDefinitions), store: harness.store)
        _ = try harness.send("quiet/a", #""nothing""#)
        harness.engine = Engine(catalogue: try Catalogue([later]), store: harness.store)
        #expect(try harness.send("quiet/a", #""nothing""#) == "v2")
        #expect(try version() == "2")
    }

    @Test func `create makes version 0 with the initial output`() throws {
        let harness = try EngineHarness(testDefinitions)
        #expect(try create(harness, "countdown/a") == #"created {"left":2} ["ready"]"#)
        #expect(try harness.get("countdown/a") == #"v0 {"left":2}"#)
        #expect(try create(harness, "countdown/a").hasPrefix("alreadyExists"))
        #expect(try create(harness, "nothing/a").hasPrefix("noSuchMachine"))
        #expect(try create(harness, "counter/x", input: ["a": 1]).contains("$.input"))
    }

    @Test func `a repeated create with its key gets the first reply`() throws {
        let harness = try EngineHarness(testDefinitions)
        _ = try create(harness, "countdown/a", dedup: "k")
        _ = try harness.send("countdown/a", #""tick""#)
        let again = try create(harness, "countdown/a", dedup: "k")
        #expect(again == #"created {"left":2} ["ready"] dup"#)
        let other = try harness.send("countdown/a", #""tick""#, dedup: "k")
        #expect(other == "dedupMismatch(version: 0)")
    }

    @Test func `a repeated create within one batch gets the first reply`() throws {
        let harness = try EngineHarness(testDefinitions)
        let name = try harness.instance("countdown/a")
        for _ in 1...2 {
            try harness.receive(.create(Create(to: name, input: nil, dedup: [1])))
        }
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies.last == #"created {"left":2} ["ready"] dup"#)
    }

    @Test func `stop ends an instance without using a version`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#)
        let name = try harness.instance("counter/a")
        #expect(try harness.ask(.stop(name, reason: "enough")).summary == "v1 at 3")
        #expect(try harness.get("counter/a") == #"v1 {"count":1} done result="stopped""#)
        #expect(try harness.ask(.stop(name, reason: nil)).summary.hasPrefix("instanceDone"))
        #expect(try harness.send("counter/a", #""increment""#).hasPrefix("instanceDone"))
        #expect(try harness.get("counter/a", at: 0) == #"v0 {"count":0}"#)
    }

    @Test func `delete frees the name for another instance`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#, dedup: "k")
        let name = try harness.instance("counter/a")
        #expect(try harness.ask(.delete(name)).summary == "v1 at 3")
        #expect(try harness.get("counter/a").hasPrefix("noSuchInstance"))
        #expect(try harness.ask(.delete(name)).summary.hasPrefix("noSuchInstance"))
        #expect(try harness.send("counter/a", #""decrement""#, dedup: "k") == "v1 changed")
        while try harness.store.purge() {}
        #expect(try harness.get("counter/a") == #"v1 {"count":-1}"#)
        let history = try harness.ask(.history(History(to: name))).summary
        #expect(history == #"1:"decrement""#)
    }

    @Test func `create, delete and create within one batch leave the last one`() throws {
        let harness = try EngineHarness()
        let name = try harness.instance("counter/a")
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        try harness.receive(.delete(name))
        try harness.receive(.get(Get(to: name, at: nil)))
        try harness.receive(harness.makeSend("counter/a", #""decrement""#))
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies[2].hasPrefix("noSuchInstance"))
        #expect(try harness.get("counter/a") == #"v1 {"count":-1}"#)
        while try harness.store.purge() {}
        #expect(try harness.get("counter/a", at: 0) == #"v0 {"count":0}"#)
    }

    @Test func `a subscription gets each lifecycle record`() throws {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.subscribe("s", kinds: .lifecycle)
        try harness.settle()
        let name = try harness.instance("countdown/a")
        _ = try harness.send("countdown/a", #""tick""#)
        _ = try harness.send("countdown/a", #""tick""#)
        _ = try harness.ask(.delete(name))
        _ = try create(harness, "countdown/b")
        _ = try harness.ask(.stop(harness.instance("countdown/b"), reason: nil))
        #expect(
            harness.takePublished() == [
                "s mark live 0", "s 1.0 countdown/a@0 created", "s 3.2 countdown/a@2 done",
                "s 4.0 countdown/a@2 deleted", "s 5.0 countdown/b@0 created",
                "s 6.0 countdown/b@0 stopped",
            ])
    }
}
