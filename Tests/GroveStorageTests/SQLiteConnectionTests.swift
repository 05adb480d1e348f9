import CSQLite
import GroveEngine
import Testing

@testable import GroveStorage

/// The thin layer over the C API, and its protection against hostile files.
@Suite("SQLiteConnection and Statement")
struct SQLiteConnectionTests {
    /// A connection to a small database of the shell's, with `sql` run in it before.
    private func connection(_ sql: String = "") throws -> SQLiteConnection {
        let path = TestDirectory.make() + "/test.db"
        let made = try run("sqlite3", path, "CREATE TABLE t(a INTEGER PRIMARY KEY, b); " + sql)
        #expect(made.code == 0, "\(made.output)")
        return try SQLiteConnection(path: path)
    }

    @Test func `binds and reads integers, blobs and texts`() throws {
        let connection = try connection()
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
        let bytes: [UInt8] = [0, 1, 255, 0]
        insert.bind(1, Int64.max)
        try bytes.withUnsafeBufferPointer { (buffer) throws(SQLiteFailure) in
            try insert.bind(2, blob: UnsafeRawBufferPointer(buffer))
            try insert.run()
        }
        insert.bind(1, Int64.min)
        try insert.bind(2, copy: "text with \u{0} and é")
        try insert.run()
        insert.bind(1, UInt32.max)
        try insert.bind(2, blob: UnsafeRawBufferPointer(start: nil, count: 0))
        try insert.run()
        let select = try connection.prepare("SELECT a, b, typeof(b) FROM t ORDER BY a")
        #expect(try select.step())
        #expect(select.integer(0) == .min)
        #expect(select.text(1) == "text with \u{0} and é")
        #expect(select.text(2) == "text")
        #expect(try select.step())
        #expect(select.integer(0) == Int64(UInt32.max))
        #expect(select.bytes(1).isEmpty)
        #expect(select.text(2) == "blob")
        #expect(try select.step())
        #expect(select.integer(0) == .max)
        #expect(Array(select.bytes(1)) == bytes)
        #expect(try !select.step())
    }

    @Test func `a statement binds and reads NULL`() throws {
        let connection = try connection()
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
        for value in [Int64?.none, 7] {
            try insert.bind(1, Int64?.none)
            try insert.bind(2, value)
            try insert.run()
        }
        for text in [String?.none, "x"] {
            try insert.bind(2, copy: text)
            try insert.run()
        }
        let select = try connection.prepare("SELECT b FROM t ORDER BY a")
        var types: [Int32] = []
        while try select.step() { types.append(select.type(0)) }
        #expect(types == [SQLITE_NULL, SQLITE_INTEGER, SQLITE_NULL, SQLITE_TEXT])
    }

    @Test func `a statement can be bound again after rows and failures`() throws {
        let connection = try connection("INSERT INTO t VALUES (1, 'x')")
        let select = try connection.prepare("SELECT b FROM t WHERE a = ?1")
        for number in [Int64(1), 2, 1, 3] {
            select.bind(1, number)
            #expect(try select.step() == (number == 1))
            if number == 1 { select.reset() }
        }
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, 0)")
        for number in [Int64(1), 5, 1, 6] {
            insert.bind(1, number)
            if number == 1 {
                let failure = #expect(throws: SQLiteFailure.self) { try insert.run() }
                #expect(failure?.primary == SQLITE_CONSTRAINT)
            } else {
                try insert.run()
                #expect(connection.changes == 1)
            }
        }
    }

    @Test func `knows whether a transaction is open`() throws {
        let connection = try connection()
        #expect(!connection.isInTransaction)
        try connection.execute("BEGIN IMMEDIATE")
        #expect(connection.isInTransaction)
        try connection.execute("ROLLBACK")
        #expect(!connection.isInTransaction)
    }

    @Test func `a file's triggers don't run`() throws {
        let connection = try connection(
            """
            CREATE TABLE u(x);
            CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO u VALUES(1); END
            """)
        try connection.execute("INSERT INTO t VALUES (1, 2)")
        #expect(try connection.text("SELECT count(*) FROM u") == "0")
    }

    @Test func `views, attached files and extensions are off`() throws {
        let connection = try connection("CREATE VIEW v AS SELECT 1")
        #expect(throws: SQLiteFailure.self) { try connection.text("SELECT * FROM v") }
        #expect(throws: SQLiteFailure.self) { try connection.execute("ATTACH ':memory:' AS m") }
        #expect(throws: SQLiteFailure.self) { try connection.text("SELECT load_extension('x')") }
        #expect(throws: SQLiteFailure.self) {
            try connection.execute("PRAGMA writable_schema=ON")
            try connection.execute("UPDATE sqlite_schema SET sql = ''")
        }
    }

    @Test func `keeps rows and statements within bounds`() throws {
        let connection = try connection()
        #expect(throws: SQLiteFailure.self) {
            try connection.text("SELECT length(zeroblob(20000000))")
        }
        #expect(throws: SQLiteFailure.self) {
            try connection.text(
                "SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5")
        }
        #expect(throws: SQLiteFailure.self) {
            try connection.text(
                """
                SELECT 1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1
                +1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1
                """)
        }
    }

    @Test func `errors contain neither SQL nor values`() throws {
        let connection = try connection("INSERT INTO t VALUES (1, 'secret')")
        let failure = #expect(throws: SQLiteFailure.self) {
            try connection.execute("INSERT INTO t VALUES (1, 'secret')")
        }
        let description = failure?.description ?? ""
        #expect(description.contains("UNIQUE constraint failed"))
        #expect(!description.contains("secret"))
        #expect(!description.contains("INSERT"))
    }

    @Test func `a full disk differs from a failure`() {
        func failure(_ code: Int32, _ system: Int32 = 0) -> StoreError {
            SQLiteFailure(code: code, systemError: system, message: "x").storeError
        }
        func isInputOutput(_ error: StoreError) -> Bool {
            if case .inputOutput = error { true } else { false }
        }
        func isCorrupt(_ error: StoreError) -> Bool {
            if case .corrupt = error { true } else { false }
        }
        let (noSpace, quota, tooLarge, bad): (Int32, Int32, Int32, Int32) = (28, 122, 27, 5)
        let (read, write, sync) = (
            SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 3 << 8, SQLITE_IOERR | 4 << 8
        )
        #expect(failure(SQLITE_FULL) == .full)
        for system in [noSpace, quota, tooLarge] {
            #expect(failure(write, system) == .full)
            #expect(isInputOutput(failure(sync, system)), "after a sync nothing is known")
            #expect(isInputOutput(failure(read, system)))
        }
        #expect(isInputOutput(failure(write, bad)))
        #expect(isInputOutput(failure(SQLITE_NOMEM)))
        #expect(isInputOutput(failure(SQLITE_READONLY)))
        #expect(isCorrupt(failure(SQLITE_CORRUPT)))
        #expect(isCorrupt(failure(SQLITE_NOTADB)))
    }

    @Test func `refuses a file layer that does not exist`() {
        #expect(throws: SQLiteFailure.self) {
            try SQLiteConnection(path: "/tmp/none", vfs: "no such layer")
        }
    }
}
