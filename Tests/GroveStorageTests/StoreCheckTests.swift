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
        model.begin("d/one", due: 1)
        model.begin("d/one", lane: "pay")
        model.change(model.begin("d/one"), phase: .failed)
        model.note("d/one", [Array("{}".utf8)])
        try store.commit(model.takeWrites())
        model.step("d/two")
        try store.commit(model.takeWrites())
        try store.close()
        return path
    }

    @Test func `a sound file has no problems, and the check reports progress`() throws {
        let store = try SQLiteStore.open(path: try prepared())
        var seen: [Int64] = []
        let problems = try store.checkAll { done, _ in seen.append(done) }
        #expect(problems == [])
        #expect(seen.last == store.head)
        #expect(seen == seen.sorted())
        while try store.purge() {}
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
        ("UPDATE effects SET crc = 0 WHERE lane = 'pay'", "checksum"),
        ("UPDATE effects SET due = 2 WHERE due = 1", "checksum"),
        ("DELETE FROM effects WHERE due = 1", "and should be"),
        ("DELETE FROM effects WHERE due = 1", "has 2 effects and should have 3"),
        ("DELETE FROM attention WHERE machine = 'd'", "and is not listed"),
        ("UPDATE attention SET crc = 0 WHERE machine = 'd'", "in attention does not match"),
        (
            "INSERT INTO attention SELECT number, 99, machine, kind, crc FROM attention "
                + "WHERE machine = 'd'", "in attention does not match"
        ),
    ])
    func `the check names the damage`(sql: String, words: String) throws {
        let path = try prepared()
        #expect(try run("sqlite3", path, sql).code == 0)
        let store = try SQLiteStore.open(path: path)
        let problems = try store.checkAll()
        #expect(problems.isEmpty == words.isEmpty)
        #expect(words.isEmpty || problems.contains { $0.description.contains(words) })
        try store.close()
    }

    @Test(arguments: [
        (number: Int64(1), run: Int64(1), phase: StoredEffect.Phase.active, words: ""),
        (1, 1, .stopping, ""), (1, 9, .active, "never asked for"),
        (1, 9, .stopping, "never asked for"), (2, 1, .active, "of instance 2, which is not"),
        (2, 1, .stopping, ""), (7, 1, .failed, "of instance 7, which is not"),
        (7, 1, .stopping, "instance 7 of an effect has a number that was never given"),
    ])
    func `the check names effects without an instance`(
        number: Int64, run: Int64, phase: StoredEffect.Phase, words: String
    ) throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        model.create("a/a")
        model.create("a/gone")
        let asked = model.begin("a/a")
        let own = try #require(model.effects[asked])
        model.delete("a/gone")
        model.write(nil, asked)
        try store.commit(model.takeWrites())
        var row = own
        row.ref = EffectRef(instance: InstanceNumber(number), number: run)
        row.body.phase = phase
        model.write(row, row.ref, isNew: true)
        // What should be there besides.
        if number != 1 { model.write(own, asked, isNew: true) }
        try store.commit(model.takeWrites())
        let problems = try store.checkAll().map(\.description)
        #expect(problems.contains { $0.contains(words) } == !words.isEmpty, "\(problems)")
        try store.close()
    }

    @Test func `rows that stop children count with their instance, and may outlive it`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        for name in ["a/left", "a/root"] {
            model.create(name)
            model.begin(name)
            for _ in 0..<2 { model.change(model.begin(name), due: 1, phase: .stopping) }
        }
        try store.commit(model.takeWrites())
        #expect(try store.checkAll() == [])
        // Those of a deleted instance stay until its children are stopped.
        let root = try #require(model.instances["a/root"]).number
        let rows = model.effects.values.filter {
            $0.ref.instance == root && $0.body.phase == .stopping
        }
        model.delete("a/root")
        for row in rows { model.write(row, row.ref) }
        try store.commit(model.takeWrites())
        #expect(rows.count == 2)
        #expect(try store.checkAll() == [])
        // One that is lost is missing only where its instance is there.
        model.write(nil, try #require(rows.first).ref)
        try store.commit(model.takeWrites())
        #expect(try store.checkAll() == [])
        let left = try #require(model.instances["a/left"]).number
        model.write(nil, EffectRef(instance: left, number: 3))
        try store.commit(model.takeWrites())
        #expect(
            try store.checkAll().map(\.description) == [
                "instance \(left.value) has 2 effects and should have 3"
            ])
        try store.close()
    }

    @Test func `the check names wrong and unreadable effects`() throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("a/a")
        var row = try #require(model.effects[model.begin("a/a")])
        row.body.owner = "a/b"
        model.write(row, row.ref)
        try store.commit(model.takeWrites())
        #expect(
            try store.checkAll().map(\.description) == [
                "an effect of instance 1 is said to be another's"
            ])
        try store.close()
        let connection = try SQLiteConnection(path: path)
        try EffectTable(connection).write(row, body: Array("{}".utf8), isNew: false)
        connection.close()
        let again = try SQLiteStore.open(path: path)
        let problems = try again.checkAll().map(\.description)
        #expect(problems.first?.contains("effect 1 of instance 1 can't be read") == true)
        #expect(throws: StoreError.self) { try again.effect(row.ref) }
        try again.close()
    }

    @Test(arguments: [Int64(0), 1])
    func `the check knows that a step of kind effect uses no version`(version: Int64) throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        model.create("a/a")
        model.note("a/a", [])
        var record = model.records[1]
        record.version = version
        model.records[1] = record
        var instance = try #require(model.instances["a/a"])
        instance.version = version
        var writes = WriteSet(firstSequence: 1)
        for record in model.records {
            record.encode(into: &writes.journal)
            writes.journalEnds.append(writes.journal.count)
        }
        writes.append(&instance, isNew: true)
        try store.commit(writes)
        #expect(try store.checkAll().isEmpty == (version == 0))
        try store.close()
    }

    @Test func `the check finds a snapshot that is older than the journal`() throws {
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
