import GroveEngine

/// The floors of machines that have, or had, separate bounds.
struct MachineFloors: Equatable {
    /// The floors by machine. Machines from which nothing was removed have one for their counts.
    var rows: [String: MachineFloor] = [:]
    /// The oldest step held of all other machines; `nil` when the journal begins there. It lies
    /// before the journal's beginning after blocks without any held step were removed.
    var others: JournalPosition?
    /// The table's rows when they were last written or read.
    private(set) var written: [String: MachineFloor] = [:]

    /// The key of the row of `others` in the table; no machine has this name.
    private static let nameOfOthers = ""

    init() {}

    /// Splits the table's rows into those of machines and that of the others.
    init(written: [String: MachineFloor]) {
        self.written = written
        rows = written
        others = rows.removeValue(forKey: MachineFloors.nameOfOthers)?.first
    }

    /// The rows to be written to the table.
    private var wanted: [String: MachineFloor] {
        guard let others else { return rows }
        var wanted = rows
        wanted[MachineFloors.nameOfOthers] = MachineFloor(first: others)
        return wanted
    }

    /// Returns the floors in the engine's form.
    func floors(journal first: JournalPosition) -> JournalFloors {
        JournalFloors(journal: others ?? first, machines: rows.mapValues(\.first))
    }

    /// Subtracts a removed step from the counts of its machine, if it was counted.
    mutating func subtract(_ step: JournalBlock.Step) {
        guard let row = rows[step.machine], step.sequence <= row.counted else { return }
        rows[step.machine]?.steps -= 1
        rows[step.machine]?.bytes -= Int64(step.bytes)
    }

    /// Subtracts a block that is removed from the journal's old end. If it holds no step any more,
    /// the floors of the machines already say that its steps are gone, so `others` stays before
    /// it.
    mutating func remove(_ block: JournalBlock) throws(StoreError) {
        guard !rows.isEmpty else {
            others = nil
            return
        }
        let steps = try block.heldSteps()
        for step in steps { subtract(step) }
        others = steps.isEmpty ? others ?? block.first : nil
    }

    /// Whether many steps were counted since the rows were written.
    var hasManyUnwritten: Bool {
        rows.contains { name, row in
            row.counted - (written[name]?.counted ?? 0) > StoreLimits.unwrittenStepsMax
        }
    }

    /// Writes the rows that changed and deletes those no longer needed.
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
