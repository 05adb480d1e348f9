import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// The full check: silent on sound files, and it names each kind of damage.
@Suite("Checking all of a data file")
struct StoreCheckTests {
    private func prepared() throws -> String {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        var random = SeededRandom(seed: 33)
        for _ in 0..<30 {
            model.change(&random)
            try store.commit(model.takeWrites())
        }
        model.create("d/one")
        model.create("d/two")
        model.step("d/one", state: [1], key: [1])
        try store.commit(model.takeWrites())
        model.step("d/two")
        try store.commit(model.takeWrites())
        try store.close()
        return path
    }

    @Test func `finds nothing in a sound file, and tells its progress`() throws {
        let store = try SQLiteStore.open(path: try prepared())
        var seen: [Int64] = []
        let problems = try store.checkAll { done, _ in seen.append(done) }
        #expect(problems == [])
        #expect(seen.last == store.head)
        #expect(seen == seen.sorted())
        while try store.sweep() {}
        #expect(try store.checkAll() == [])
        try store.close()
    }

    @Test(arguments: [
        ("DELETE FROM instances WHERE name = 'd/one'", "has no row"),
        ("UPDATE meta SET instances = instances", ""),
        ("UPDATE instances SET name = 'x/y' WHERE name = 'd/one'", "checksum"),
        ("UPDATE instances SET snapshot = x'00' WHERE name = 'd/one'", "checksum"),
        ("UPDATE journal SET crc = 0 WHERE first = 1", "checksum"),
        (
            "DELETE FROM journal WHERE first IN "
                + "(SELECT first FROM journal ORDER BY first LIMIT 1 OFFSET 5)", "is missing"
        ),
        ("UPDATE dedup SET crc = 0", "dedup record"),
    ])
    func `names the damage`(sql: String, words: String) throws {
        let path = try prepared()
        #expect(try run("sqlite3", path, sql).code == 0)
        let store = try SQLiteStore.open(path: path)
        let problems = try store.checkAll()
        #expect(problems.isEmpty == words.isEmpty)
        #expect(words.isEmpty || problems.contains { $0.description.contains(words) })
        try store.close()
    }

    @Test func `sees a snapshot that is older than the journal`() throws {
        let path = try prepared()
        let copy = path + ".old"
        try run("cp", path, copy)
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        let name = try #require(InstanceName("d/one"))
        model.instances["d/one"] = try store.instance(named: name)
        model.records = Array(
            repeating: JournalRecord(sequence: 1, kind: .erased), count: Int(store.head))
        _ = model.takeWrites()
        model.step("d/one", state: [7])
        try store.commit(model.takeWrites())
        try store.close()
        let sql = """
            ATTACH '\(copy)' AS old;
            UPDATE instances SET
            snapshot = (SELECT snapshot FROM old.instances o WHERE o.number = instances.number),
            crc = (SELECT crc FROM old.instances o WHERE o.number = instances.number)
            """
        #expect(try run("sqlite3", path, sql).code == 0)
        let again = try SQLiteStore.open(path: path)
        let problems = try again.checkAll()
        #expect(problems.contains { $0.description.contains("newest journal step") })
        try again.close()
    }
}
