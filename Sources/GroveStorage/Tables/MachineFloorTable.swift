import CSQLite
import GroveEngine

/// From where on the steps of one machine are held, and how many there are.
struct MachineFloor: Equatable {
    /// Steps of the machine before this one are gone.
    var first: JournalPosition = 1
    /// What `steps` and `bytes` count ends here.
    var counted: JournalPosition = 0
    /// Steps of the machine that are held.
    var steps: Int64 = 0
    /// Their bytes, before they are compressed.
    var bytes: Int64 = 0

    fileprivate func checksum(_ machine: String) -> UInt32 {
        var checksum = Checksum()
        Array(machine.utf8).withUnsafeBytes { checksum.add($0) }
        checksum.add(first, counted)
        checksum.add(steps, bytes)
        return checksum.value
    }
}

/// The floors of machines that have or had bounds of their own.
struct MachineFloors: Equatable {
    /// The floors by machine; those that nothing was removed of are among them to be counted.
    var rows: [String: MachineFloor] = [:]
    /// The oldest step of all other machines; `nil` when that is where the journal begins. It is
    /// older where places at the journal's old end went that held no step any more.
    var others: JournalPosition?
    /// The rows of the table as they were last written or read.
    private(set) var written: [String: MachineFloor] = [:]

    /// The row of `others` in the table: no machine has this name.
    private static let nameOfOthers = ""

    init() {}

    /// What the table holds.
    fileprivate init(written: [String: MachineFloor]) {
        self.written = written
        rows = written
        others = rows.removeValue(forKey: MachineFloors.nameOfOthers)?.first
    }

    /// The rows that the table should have.
    private var wanted: [String: MachineFloor] {
        guard let others else { return rows }
        var wanted = rows
        wanted[MachineFloors.nameOfOthers] = MachineFloor(first: others)
        return wanted
    }

    /// What the engine is told of it.
    func floors(journal first: JournalPosition) -> JournalFloors {
        JournalFloors(journal: others ?? first, machines: rows.mapValues(\.first))
    }

    /// Takes a step out of the count of its machine that goes, if it is in there.
    mutating func subtract(_ step: JournalBlock.Step) {
        guard let row = rows[step.machine], step.sequence <= row.counted else { return }
        rows[step.machine]?.steps -= 1
        rows[step.machine]?.bytes -= Int64(step.bytes)
    }

    /// Takes a block out of all counts that is removed from the journal's old end, which lies at
    /// its begin. Where no step is in it any more, nobody misses anything that isn't told by the
    /// floor of its machine.
    mutating func remove(_ block: JournalBlock) throws(StoreError) {
        guard !rows.isEmpty else {
            others = nil
            return
        }
        let steps = try block.heldSteps()
        for step in steps { subtract(step) }
        others = steps.isEmpty ? others ?? block.first : nil
    }

    /// Whether so much was counted since the rows were written that it is worth writing.
    var isFarFromWritten: Bool {
        rows.contains { name, row in row.counted - (written[name]?.counted ?? 0) > 65_536 }
    }

    /// Brings the table up to date.
    mutating func write(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        let wanted = wanted
        guard wanted != written else { return }
        let replace = try connection.prepare(
            """
            REPLACE INTO machine_floors (machine, first, counted, steps, bytes, crc)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        for (machine, row) in wanted where written[machine] != row {
            try replace.bind(1, copy: machine)
            replace.bind(2, row.first)
            replace.bind(3, row.counted)
            replace.bind(4, row.steps)
            replace.bind(5, row.bytes)
            replace.bind(6, row.checksum(machine))
            try replace.run()
        }
        let delete = try connection.prepare("DELETE FROM machine_floors WHERE machine = ?1")
        for machine in written.keys where wanted[machine] == nil {
            try delete.bind(1, copy: machine)
            try delete.run()
        }
        written = wanted
    }
}

/// The SQL that reads `machine_floors`. Used so seldom that nothing stays prepared.
enum MachineFloorTable {
    /// All rows; there are as many as machines that ever had bounds which still matter.
    ///
    /// - Throws: `.corrupt` when one is not as it was written, or says what can't be.
    static func read(
        _ connection: SQLiteConnection, head: JournalPosition
    ) throws(StoreError) -> MachineFloors {
        let select = try prepareSelect(connection)
        defer { select.reset() }
        var rows: [String: MachineFloor] = [:]
        while try select.row() {
            let machine = select.text(0)
            let row = MachineFloor(
                first: select.integer(1), counted: select.integer(2), steps: select.integer(3),
                bytes: select.integer(4))
            guard Int64(row.checksum(machine)) == select.integer(5) else {
                throw .corrupt("a row of table machine_floors does not match its checksum")
            }
            guard (1...head + 1).contains(row.first), (0...head).contains(row.counted) else {
                throw .corrupt("the floor of machine \"\(machine)\" is past the journal's end")
            }
            rows[machine] = row
        }
        return MachineFloors(written: rows)
    }

    private static func prepareSelect(
        _ connection: SQLiteConnection
    ) throws(StoreError) -> Statement {
        do {
            return try connection.prepare(
                "SELECT machine, first, counted, steps, bytes, crc FROM machine_floors")
        } catch { throw error.storeError }
    }
}
