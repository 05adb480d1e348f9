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

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
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
}
