import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// A data file with two instances of many steps, one after the other, in commits of 20 rounds, and
/// what should be in it.
func filledStore(
    _ options: SQLiteStoreOptions, beside other: String, steps: Int
) throws -> (store: SQLiteStore, model: StoreModel) {
    let store = try SQLiteStore.open(
        path: TestDirectory.make() + "/data.grove", options: options)
    var model = StoreModel()
    model.create("a/a")
    model.create(other)
    for round in 0..<steps {
        model.step("a/a", state: Array("state \(round)".utf8), key: Array("\(round)".utf8))
        model.step(other, outputs: 1)
        if round % 20 == 19 { try store.commit(model.takeWrites()) }
    }
    try store.commit(model.takeWrites())
    return (store, model)
}

/// The output of SQLite's shell for a statement; the file must not be open.
@discardableResult
func sqlite(_ path: String, _ sql: String) throws -> String {
    let result = try run("sqlite3", path, sql)
    #expect(result.code == 0, "\(result.output)")
    return result.output
}

/// Makes a closed file one of an older schema.
func makeOld(_ path: String, schema: Int) throws {
    if schema < 7 {
        for table in ["principals", "tokens", "audit"] { try sqlite(path, "DROP TABLE \(table)") }
    }
    if schema < 6 { try sqlite(path, "DROP TABLE definitions") }
    if schema < 5 {
        for table in ["redo", "attention", "machine_counts"] {
            try sqlite(path, "DROP TABLE \(table)")
        }
    }
    if schema < 4 { try sqlite(path, "DROP TABLE holds") }
    if schema < 3 { try sqlite(path, "DROP TABLE machine_floors") }
    if schema < 2 { try sqlite(path, "DROP TABLE floor") }
    try sqlite(path, "PRAGMA user_version=\(schema)")
}
