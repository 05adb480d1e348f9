import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

@Suite("definitions in a data file")
struct DefinitionTableTests {
    private func definition(_ machine: String, _ version: String) -> StoredDefinition {
        StoredDefinition(
            machine: machine, version: version, hash: "0123456789abcdef",
            text: Array(#"{"id":"\#(machine)"}"#.utf8), defined: Timestamp(milliseconds: 7))
    }

    private func commit(_ changes: [DefinitionChange], to store: any Store) throws {
        var writes = WriteSet(firstSequence: store.head + 1)
        writes.definitions = changes
        #expect(!writes.isEmpty)
        try store.commit(writes)
    }

    private func summary(_ store: any Store) -> [String] {
        store.definitions.map {
            "\($0.number) \($0.machine) \($0.version)\($0.isRetired ? " retired" : "")"
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `definitions are kept in order, retired, brought back and removed`(kind: StoreKind) throws
    {
        let store = try kind.make()
        try commit(
            [.put(definition("a", "1")), .put(definition("b", "1")), .put(definition("a", "2"))],
            to: store)
        #expect(summary(store) == ["1 a 1", "2 b 1", "3 a 2"])
        try commit([.retire("a"), .retire("nobody")], to: store)
        #expect(summary(store) == ["1 a 1", "2 b 1", "3 a 2 retired"])
        try commit([.put(definition("a", "1"))], to: store)
        #expect(summary(store) == ["2 b 1", "3 a 2 retired", "4 a 1"])
        let versions: [DefinitionChange] = [
            .put(definition("b", "2")), .prune("b", versions: ["1", "3"]),
            .prune("a", versions: ["2"]),
        ]
        try commit(versions, to: store)
        #expect(summary(store) == ["4 a 1", "5 b 2"])
        try commit([.remove("a"), .remove("nobody")], to: store)
        #expect(summary(store) == ["5 b 2"])
    }

    @Test(arguments: [true, false], [1, 2, 3])
    func `definitions outlive the process`(isClosed: Bool, seed: UInt64) throws {
        let path = TestDirectory.make() + "/data.grove"
        var store = try SQLiteStore.open(path: path)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<30 {
            let machine = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
            let version = "\(Int.random(in: 1...4, using: &generator))"
            let change: DefinitionChange =
                switch Int.random(in: 0..<7, using: &generator) {
                case 0: .remove(machine)
                case 1: .retire(machine)
                case 2: .prune(machine, versions: [version, "1"])
                default: .put(definition(machine, version))
                }
            try commit([change], to: store)
        }
        let before = store.definitions
        if isClosed { try store.close() } else { store.shutDown() }
        store = try SQLiteStore.open(path: path)
        #expect(store.definitions == before)
        #expect(try store.checkAll().isEmpty)
        try store.close()
    }

    @Test(arguments: [1, 3, 5])
    func `a file of an older schema gets the table`(schema: Int) throws {
        let (old, _) = try filledStore(.small, beside: "b/b", steps: 60)
        let path = old.path
        try old.close()
        try makeOld(path, schema: schema)
        var store = try SQLiteStore.open(path: path)
        #expect(store.definitions.isEmpty)
        try commit([.put(definition("a", "1"))], to: store)
        try store.close()
        store = try SQLiteStore.open(path: path)
        #expect(summary(store) == ["1 a 1"])
        #expect(try store.checkAll().isEmpty)
    }

    @Test(arguments: [
        "UPDATE definitions SET machine = 'n'", "UPDATE definitions SET text = x'7b7d'",
        "UPDATE definitions SET retired = 1", "UPDATE definitions SET number = 2",
    ])
    func `a damaged row is noticed`(sql: String) throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        try commit([.put(definition("a", "1"))], to: store)
        try store.close()
        try sqlite(path, sql)
        #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
    }
}
