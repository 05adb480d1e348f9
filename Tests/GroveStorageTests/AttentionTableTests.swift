import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// The tables `attention` and `machine_counts` by themselves.
@Suite("AttentionTable")
struct AttentionTableTests {
    private func entry(
        _ machine: String, _ attention: EffectAttention, _ number: Int64, _ run: Int64
    ) -> AttentionEntry {
        AttentionEntry(
            machine: machine, attention: attention,
            ref: EffectRef(instance: InstanceNumber(number), number: run))
    }

    /// A connection to an empty data file.
    private func connection() throws -> SQLiteConnection {
        let path = TestDirectory.make() + "/data.grove"
        try SQLiteStore.open(path: path).close()
        return try SQLiteConnection(path: path)
    }

    @Test func `entries are ordered by machine, attention and ref`() {
        let ordered = [
            entry("A", .asking, 9, 9), entry("a", .failed, 1, 2), entry("a", .failed, 2, 1),
            entry("a", .asking, 1, 1), entry("a.b", .failed, 1, 1), entry("ab", .failed, 1, 1),
        ]
        #expect(ordered.reversed().sorted() == ordered)
        #expect(Set(ordered.map(\.checksum)).count == ordered.count)
    }

    @Test func `an entry is found by its effect until it is removed`() throws {
        let table = try AttentionTable(try connection())
        let own = entry("m", .failed, 3, 4)
        #expect(try table.entry(of: own.ref) == nil)
        try table.add(own)
        #expect(try table.entry(of: own.ref) == own)
        #expect(throws: SQLiteFailure.self) { try table.add(own) }
        try table.remove(own.ref)
        #expect(try table.entry(of: own.ref) == nil)
    }

    @Test(arguments: [
        ("UPDATE attention SET crc = crc + 1 WHERE run = 5", [2...4, 5...6]),
        ("UPDATE attention SET crc = crc + 1 WHERE run = 1", [2...3]),
        ("UPDATE attention SET crc = crc + 1 WHERE machine = 'n'", [6...9]),
    ])
    func `a page needs sound neighbors`(sql: String, pages: [ClosedRange<Int64>]) throws {
        let path = TestDirectory.make() + "/data.grove"
        try SQLiteStore.open(path: path).close()
        var connection = try SQLiteConnection(path: path)
        do {
            let table = try AttentionTable(connection)
            for run in 1...9 { try table.add(entry("m", .failed, 1, Int64(run))) }
            try table.add(entry("n", .failed, 1, 20))
        }
        func read(_ page: ClosedRange<Int64>) throws -> [Int64] {
            let after = EffectRef(instance: InstanceNumber(1), number: page.lowerBound - 1)
            return try AttentionTable(connection).page(
                .failed, of: "m", after: after, limit: page.count
            ).map(\.number)
        }
        for page in pages { #expect(try read(page) == Array(page)) }
        connection.close()
        try sqlite(path, sql)
        connection = try SQLiteConnection(path: path)
        for page in pages { #expect(throws: StoreError.self) { try read(page) } }
    }

    @Test func `changed counts are written, and read again`() throws {
        let connection = try connection()
        #expect(try MachineCountTable.read(connection).isEmpty)
        var rows = MachineCountRows([:])
        #expect(rows.isKept && !MachineCountRows(nil).isKept)
        rows.addInstance(1, isDone: false, of: "a")
        rows.addInstance(1, isDone: true, of: "a")
        rows.addDone(of: "a")
        rows.add(1, of: entry("b", .asking, 1, 1))
        #expect(rows.attentions == 1)
        try rows.write(try MachineCountTable(connection))
        #expect(try MachineCountTable.read(connection) == rows.rows)
        #expect(rows.rows["a"]?.instances == 2 && rows.rows["a"]?.done == 2)
        rows.add(-1, of: entry("b", .asking, 1, 1))
        try rows.write(try MachineCountTable(connection))
        #expect(rows.attentions == 0)
        #expect(try MachineCountTable.read(connection).keys.sorted() == ["a"])
    }
}
