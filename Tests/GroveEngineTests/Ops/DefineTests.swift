import BuiltInMachines
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// Machines as data, with compiled ones in their place: the engine doesn't know what they are made
/// of.
@Suite("define, undefine")
struct DefineTests {
    struct Describer: MachineDescriber {
        func describe(in state: [UInt8]?) -> MachineDescription { MachineDescription() }
        func stateName(_ json: [UInt8]) -> String? { nil }
    }

    private func definition(
        _ name: String, _ version: String = "1", hash: String = "0", handlers: [String] = []
    ) throws -> Definition {
        let counter = try #require(BuiltInMachines.definitions.first { $0.name == "counter" })
        return Definition(
            name: name, version: version, contentHash: hash, stateNames: { _ in [] }, known: [],
            takes: [], handlers: handlers, machine: counter.machine, describer: Describer())
    }

    private func define(
        _ definitions: [Definition], bytes: Int = 2, isTrial: Bool = false
    ) -> GroveEngine.Operation {
        .define(
            Define(
                text: Array(repeating: 0x20, count: bytes), isTrial: isTrial,
                compiled: .definitions(definitions, warnings: [])))
    }

    @Test func `a batch that isn't written defines nothing`() throws {
        let store = FullStore(MemoryStore())
        let harness = try EngineHarness(store: store)
        store.isFull = true
        #expect(try harness.ask(define([definition("m")])).summary.contains("storageFull"))
        store.isFull = false
        #expect(try harness.send("m/a", "1").contains("noSuchMachine"))
        #expect(store.definitions.isEmpty)
        #expect(try harness.ask(define([definition("m")])).summary == "m 1 changed")
        #expect(store.definitions.map(\.machine) == ["m"])
    }

    @Test func `the number of definitions is bounded`() throws {
        let harness = try EngineHarness()
        for number in 0..<Limits.definitionsMax {
            try harness.receive(define([definition("m\(number)")]))
            if number % 512 == 511 { _ = try harness.flush() }
        }
        #expect(try harness.ask(define([definition("more")])).summary.contains("limit"))
        // One that is known isn't one more.
        #expect(try harness.ask(define([definition("m0")])).summary == "m0 1")
    }

    @Test func `the bytes of definitions are bounded`() throws {
        let harness = try EngineHarness()
        let part = Limits.definitionBytesTotalMax / 16
        for number in 0..<16 {
            #expect(
                try harness.ask(define([definition("m\(number)")], bytes: part)).summary
                    == "m\(number) 1 changed")
        }
        #expect(try harness.ask(define([definition("more")], bytes: 1)).summary.contains("limit"))
        #expect(try harness.ask(.undefine("m3")).summary == "0 instances")
        #expect(try harness.ask(define([definition("more")], bytes: 1)).summary == "more 1 changed")
    }

    @Test func `one that wasn't read is refused as one too many`() throws {
        let harness = try EngineHarness()
        #expect(try harness.ask(.define(Define(text: []))).summary.contains("busy"))
        let problem = DefinitionProblem(path: "$.x", message: "wrong")
        #expect(
            try harness.ask(.define(Define(text: [], compiled: .refused([problem])))).summary
                .contains("wrong"))
    }

    @Test func `names of parts belong to their machine`() throws {
        let harness = try EngineHarness()
        let family = try [definition("m"), definition("m.inline-1")]
        #expect(try harness.ask(define(family)).summary == "m 1 changed")
        #expect(
            try harness.ask(define([definition("m.inline-1", "2")])).summary.contains("within m"))
        #expect(try harness.ask(.undefine("m.inline-1")).summary.contains("part of another"))
        #expect(try harness.ask(define([definition("counter")])).summary.contains("compiled"))
        #expect(
            try harness.ask(define([definition("h", handlers: ["none"])])).summary
                .contains("no handler"))
        #expect(try harness.ask(.undefine("m")).summary == "0 instances")
        #expect(
            try harness.ask(define([definition("m.inline-1")])).summary == "m.inline-1 1 changed")
    }

    @Test func `what is written within a machine has the version of who starts it`() throws {
        var catalogue = try Catalogue([])
        for version in ["1", "2"] {
            try catalogue.add(
                family: [definition("m", version), definition("m.inline-1", version)], bytes: 2)
        }
        try catalogue.add(family: [definition("n", "7")], bytes: 2)
        func version(_ name: String, for machine: String?, _ version: String) -> String? {
            let starter = machine.map {
                InstanceStarter(name: $0 + "/a", machine: $0, version: version)
            }
            return catalogue.definition(ofNew: name, for: starter)?.version
        }
        #expect(version("m.inline-1", for: "m", "1") == "1")
        #expect(version("m.inline-1", for: "m.inline-1", "1") == "1")
        #expect(version("m.inline-1", for: "m", "2") == "2")
        #expect(version("m", for: "m", "1") == "2", "a machine by its name is the present one")
        #expect(version("n", for: "m", "1") == "7" && version("m", for: "n", "7") == "2")
        #expect(version("m.inline-1", for: nil, "") == "2")
    }

    @Test func `versions of no version have no order, others only go up`() throws {
        let harness = try EngineHarness()
        for (version, hash, answer) in [
            ("2", "a", "m 2 changed"), ("2", "a", "m 2"), ("2", "b", "other contents"),
            ("1", "c", "later version"), ("10", "d", "m 10 changed"), ("2", "a", "m 2"),
        ] {
            let found = try harness.ask(define([definition("m", version, hash: hash)])).summary
            #expect(found.hasSuffix(answer) || found.contains(answer), "\(found)")
        }
        for (version, hash) in [("0+b", "b"), ("0+a", "a"), ("0+c", "c")] {
            let found = try harness.ask(define([definition("n", version, hash: hash)])).summary
            #expect(found == "n \(version) changed")
        }
    }

    @Test func `an instance of a machine without a version is outdated by any other definition`()
        throws
    {
        let harness = try EngineHarness()
        func outdated() throws -> Bool {
            var list = List()
            list.isOutdated = true
            return try harness.ask(.list(list)).summary.contains("n/a")
        }
        _ = try harness.ask(define([definition("n", "0+b", hash: "b")]))
        let name = try harness.instance("n/a")
        _ = try harness.ask(.create(Create(to: name, input: nil, dedup: nil)))
        for (version, isOutdated) in [("0+b", false), ("0+a", true), ("0+c", true), ("1", true)] {
            let hash = String(version.suffix(1))
            _ = try harness.ask(define([definition("n", version, hash: hash)]))
            #expect(try outdated() == isOutdated, "\(version)")
        }
    }
}

/// The event of a migration, which is one by its text alone.
@Suite("MigrationEvent")
struct MigrationEventTests {
    @Test func `a migration is told from other events by its text`() {
        let text = MigrationEvent.text(from: "1", to: "2\"")
        #expect(text.text == #"{"type":"$migrate","from":"1","to":"2\""}"#)
        #expect(MigrationEvent.isOne(text))
        for other in ["", "\"$migrate\"", #"{"type":"$migrated"}"#, #"{"a":1,"type":"$migrate"}"#] {
            #expect(!MigrationEvent.isOne(Array(other.utf8)))
        }
    }
}
