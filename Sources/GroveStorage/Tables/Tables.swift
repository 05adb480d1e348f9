import GroveEngine

/// Every prepared statement of a store. Must be released before the connection closes.
final class Tables {
    let begin: Statement
    let commit: Statement
    let rollback: Statement
    let meta: MetaTable
    let journal: JournalTable
    let instances: InstanceTable
    let dedup: DedupTable
    let effects: EffectTable
    let effectIndexes: EffectIndexes
    let garbage: GarbageTable

    /// Made when it is first used: a file of an older schema has no such table until it is
    /// migrated.
    private var madeAttention: AttentionTable?
    private var madeMachineCounts: MachineCountTable?
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        meta = try MetaTable(connection)
        journal = try JournalTable(connection)
        instances = try InstanceTable(connection)
        dedup = try DedupTable(connection)
        effects = try EffectTable(connection)
        effectIndexes = try EffectIndexes(connection, rows: effects)
        garbage = try GarbageTable(connection)
    }

    /// The effects that have failed or ask. The file must have schema 5.
    func attention() throws(SQLiteFailure) -> AttentionTable {
        if let madeAttention { return madeAttention }
        let table = try AttentionTable(connection)
        madeAttention = table
        return table
    }

    /// The counts per machine. The file must have schema 5.
    func machineCounts() throws(SQLiteFailure) -> MachineCountTable {
        if let madeMachineCounts { return madeMachineCounts }
        let table = try MachineCountTable(connection)
        madeMachineCounts = table
        return table
    }

    /// As ``attention()``, for a reader of the store.
    func readAttention() throws(StoreError) -> AttentionTable {
        do { return try attention() } catch { throw error.storeError }
    }
}
