import GroveEngine

/// The counts of all machines, and those that a transaction has changed.
struct MachineCountRows {
    /// The counts per machine. Machines without instances and effects have none.
    private(set) var rows: [String: MachineCounts]

    /// Machines whose rows are to be written.
    private var changed: Set<String> = []

    /// Whether anything but creations has changed. A start can count those itself.
    private(set) var mustBeWritten = false

    /// The effects of all machines that have failed or ask.
    private(set) var attentions: Int64

    /// Whether the counts are those of a file. A file of a schema before 5 doesn't have them, and
    /// an inspection doesn't count.
    let isKept: Bool

    /// - Parameter rows: The rows as they are written; `nil` if the file doesn't have any.
    init(_ rows: [String: MachineCounts]?) {
        self.rows = rows ?? [:]
        isKept = rows != nil
        attentions = self.rows.values.reduce(0) { $0 + $1.failed + $1.asking }
    }

    /// Adds an instance of a machine, or removes one with -1.
    mutating func addInstance(_ count: Int64, isDone: Bool, of machine: String) {
        rows[machine, default: MachineCounts()].instances += count
        if isDone { rows[machine]?.done += count }
        changed.insert(machine)
        if count < 0 { mustBeWritten = true }
    }

    /// Adds a done instance.
    mutating func addDone(of machine: String) {
        rows[machine, default: MachineCounts()].done += 1
        changed.insert(machine)
        mustBeWritten = true
    }

    /// Adds an effect that needs attention, or removes one with -1.
    mutating func add(_ count: Int64, of entry: AttentionEntry) {
        rows[entry.machine, default: MachineCounts()][entry.attention] += count
        attentions += count
        changed.insert(entry.machine)
        mustBeWritten = true
    }

    /// Whether rows are to be written.
    var hasChanges: Bool { !changed.isEmpty }

    /// Writes the changed rows, within a transaction.
    mutating func write(_ table: MachineCountTable) throws(SQLiteFailure) {
        for machine in changed.sorted() {
            if rows[machine] == MachineCounts() { rows[machine] = nil }
            try table.write(rows[machine], of: machine)
        }
        changed = []
        mustBeWritten = false
    }
}
