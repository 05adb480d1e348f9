import BuiltInMachines
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// Removing the versions of machines as data that no instance has. Compiled machines stand for
/// them.
@Suite("prune")
struct PruneTests {
    private let harness: EngineHarness

    init() throws { harness = try EngineHarness() }

    /// Defines a version of machine `m`, with parts of these names.
    private func define(
        _ version: String, parts: [String] = [], bytes: Int = 2, in harness: EngineHarness? = nil
    ) throws {
        let counter = try #require(BuiltInMachines.definitions.first { $0.name == "counter" })
        let family = (["m"] + parts).map {
            Definition(
                name: $0, version: version, contentHash: version, stateNames: { _ in [] },
                known: [], takes: [], handlers: [], machine: counter.machine,
                describer: DefineTests.Describer())
        }
        let text = Array(repeating: UInt8(ascii: " "), count: bytes)
        let reply = try (harness ?? self.harness).ask(
            .define(Define(text: text, compiled: .definitions(family, warnings: []))))
        #expect(reply.summary == "m \(version) changed")
    }

    private func create(_ name: String) throws {
        #expect(try harness.send(name, #""increment""#) == "v1 changed")
    }

    private func delete(_ name: String) throws {
        _ = try harness.ask(.delete(harness.instance(name)))
    }

    private func prune(_ name: String = "m") throws -> String {
        try harness.ask(.prune(name)).summary
    }

    @Test func `versions without instances go, but for the present one`() throws {
        try define("1")
        #expect(try prune() == "removed [] kept []")
        try create("m/a")
        for version in 2...3 { try define("\(version)") }
        try create("m/b")
        try create("m/c")
        try define("4")
        #expect(try prune() == #"removed ["2"] kept ["1:1", "3:2"]"#)
        try delete("m/a")
        #expect(try prune() == #"removed ["1"] kept ["3:2"]"#)
        #expect(harness.store.definitions.map(\.version) == ["3", "4"])
        #expect(try harness.send("m/b", #""increment""#) == "v2 changed")
        #expect(try harness.ask(.undefine("m")).summary == "2 instances")
        #expect(try prune() == #"removed [] kept ["3:2"]"#)
    }

    @Test func `what is written before it is committed before it`() throws {
        try define("1")
        try create("m/a")
        try define("2")
        let request = Request(
            connection: EngineHarness.connection, token: 9, operation: .prune("m"))
        var mustFlush = harness.engine.mustFlush(before: request)
        #expect(!mustFlush)
        try harness.receive(.delete(harness.instance("m/a")))
        mustFlush = harness.engine.mustFlush(before: request)
        #expect(mustFlush)
        _ = try harness.flush()
        #expect(try prune() == #"removed ["1"] kept []"#)
    }

    @Test func `number and bytes of what was removed are free again`() throws {
        let part = Limits.definitionBytesTotalMax / 4
        for version in 1...4 { try define("\(version)", bytes: part) }
        #expect(try prune() == #"removed ["1", "2", "3"] kept []"#)
        for version in 5...7 { try define("\(version)", bytes: part) }
        #expect(harness.engine.catalogue.storedCount == 4)
        #expect(harness.engine.catalogue.storedBytes == 4 * part)
    }

    @Test func `instances of parts count`() throws {
        try define("1", parts: ["m.inline-1", "m.inline-2"])
        try create("m.inline-1/x")
        try define("2", parts: ["m.inline-1"])
        try create("m.inline-1/y")
        try define("3")
        #expect(try prune() == #"removed [] kept ["1:1", "2:1"]"#)
        try delete("m.inline-1/y")
        #expect(try prune() == #"removed ["2"] kept ["1:1"]"#)
        // The part is that of the last version that has it.
        #expect(harness.engine.catalogue["m.inline-1"]?.version == "1")
        #expect(try harness.send("m.inline-1/x", #""increment""#) == "v2 changed")
        try delete("m.inline-1/x")
        #expect(try prune() == #"removed ["1"] kept []"#)
        #expect(harness.engine.catalogue.all.map(\.name).filter { $0.hasPrefix("m") } == ["m"])
        #expect(try harness.send("m.inline-1/x", "1").contains("noSuchMachine"))
    }

    @Test func `what isn't a machine as data is refused`() throws {
        try define("1", parts: ["m.inline-1"])
        #expect(try prune("m.inline-1").contains("part of another"))
        #expect(try prune("counter").contains("compiled"))
        #expect(try prune("none").contains("noSuchMachine"))
    }

    @Test func `a commit that isn't written removes nothing`() throws {
        let store = FullStore(MemoryStore())
        let harness = try EngineHarness(store: store)
        for version in 1...2 { try define("\(version)", in: harness) }
        store.isFull = true
        #expect(try harness.ask(.prune("m")).summary.contains("storageFull"))
        store.isFull = false
        #expect(store.definitions.map(\.version) == ["1", "2"])
        #expect(harness.engine.catalogue.versions(of: "m").count == 2)
        #expect(try harness.ask(.prune("m")).summary == #"removed ["1"] kept []"#)
    }

    // MARK: In turns

    /// Version 1 has no instances, 2 has many, and 3 is present.
    private func prepareMany() throws {
        try define("1")
        try define("2")
        for number in 0..<900 {
            try harness.receive(harness.makeSend("m/i\(1_000 + number)", #""increment""#))
        }
        _ = try harness.flush()
        try define("3")
        try harness.receive(.prune("m"))
        #expect(try harness.flush().replies.isEmpty)
    }

    /// One turn of work, with the commit of what it has written.
    private func work() throws -> [String] {
        var replies = try harness.engine.work(at: harness.now, store: harness.store).replies
        if harness.engine.hasOpenBatch { replies += try harness.flush().replies }
        return replies.map(\.reply.summary)
    }

    @Test func `many instances are read in turns, and pages don't wait for them`() throws {
        try prepareMany()
        var list = List()
        list.machine = "m"
        list.limit = 900
        try harness.receive(.list(list))
        _ = try harness.flush()
        var replies: [String] = []
        var turns = 0
        while harness.engine.hasPages, turns < 20 {
            replies += try work()
            turns += 1
        }
        #expect(turns >= 6 && turns < 20)
        #expect(replies.map { $0.prefix(4) } == ["m/i1", "remo"])
        #expect(replies.last == #"removed ["1"] kept ["2:900"]"#)
    }

    @Test(arguments: ["m/a", "m/z"])
    func `a version that an instance gets in the meantime stays`(name: String) throws {
        try prepareMany()
        #expect(try work().isEmpty)
        let item = Import(
            to: try harness.instance(name), version: 1, state: Array(#"{"count":1}"#.utf8),
            definitionVersion: "1")
        let reply = try harness.ask(.importing(item)).summary
        #expect(reply.hasPrefix("v1"), "\(reply)")
        var replies: [String] = []
        while harness.engine.hasPages { replies += try work() }
        #expect(replies == [#"removed [] kept ["1:1", "2:900"]"#])
        #expect(try harness.send(name, #""increment""#) == "v2 changed")
    }

    @Test func `what is read again still knows what instances got`() {
        var read = PruneRead("m", machines: ["m", "m.inline-1"], former: ["1", "2"])
        read.noteUse(of: "1", by: "m.inline-1")
        read.noteUse(of: "2", by: "other")
        read = read.rewound
        #expect(read.count(of: "1") == 1)
        #expect(read.count(of: "2") == 0)
        #expect(read.count(of: "3") == nil)
    }

    @Test func `a lost commit in the meantime changes nothing`() throws {
        let store = FullStore(MemoryStore())
        let harness = try EngineHarness(store: store)
        for version in 1...2 { try define("\(version)", in: harness) }
        for number in 0..<600 {
            try harness.receive(harness.makeSend("m/i\(1_000 + number)", #""increment""#))
        }
        _ = try harness.flush()
        try harness.receive(.prune("m"))
        #expect(try harness.flush().replies.isEmpty)
        store.isFull = true
        #expect(try harness.send("m/a", #""increment""#).contains("storageFull"))
        store.isFull = false
        var replies: [String] = []
        while harness.engine.hasPages {
            let ready = try harness.engine.work(at: harness.now, store: store)
            replies += ready.replies.map(\.reply.summary)
            if harness.engine.hasOpenBatch {
                replies += try harness.flush().replies.map(\.reply.summary)
            }
        }
        #expect(replies == [#"removed ["1"] kept []"#])
    }

    @Test func `one whose client is gone removes nothing`() throws {
        try prepareMany()
        harness.engine.connectionClosed(EngineHarness.connection)
        while harness.engine.hasPages { #expect(try work().isEmpty) }
        #expect(harness.store.definitions.map(\.version) == ["1", "2", "3"])
    }
}
