import CSQLite
import Foundation
import GroveAccess
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

@Suite("accounts in a store")
struct AccountRowsTests {
    private func prepared() throws -> (path: String, model: AccountsModel) {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = AccountsModel()
        try commit(try model.addPrincipal("shop", identity: "uid:1000"), to: store)
        try commit(try model.addPrincipal("ops", identity: "uid:1001"), to: store)
        try commit(try model.addToken(of: "shop", "aaaaaaaa"), to: store)
        try commit(try model.addToken(of: "ops", "bbbbbbbb"), to: store)
        try store.close()
        return (path, model)
    }

    @Test(arguments: StoreKind.allCases, [1, 2, 3])
    func `a store holds the accounts and the audit of its commits`(
        kind: StoreKind, seed: UInt64
    ) throws {
        let store = try kind.make()
        #expect(store.accounts.rows.isEmpty)
        #expect(try store.audit(after: 0, limit: 9).entries.isEmpty)
        #expect(try !truncate(store, before: .max))
        var model = AccountsModel()
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            try commit(try model.change(&random), to: store)
            #expect(lines(store.accounts.rows) == lines(model.table.rows))
        }
        #expect(try store.audit(after: 0, limit: 99).entries == model.entries)
        #expect(try store.audit(after: 5, limit: 3).entries == Array(model.entries[5..<8]))
        #expect(try store.audit(after: 40, limit: 3).entries.isEmpty)
        #expect(try store.audit(after: 0, limit: 0).entries.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `the oldest entries of the audit go, but never the last one`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = AccountsModel()
        var random = SeededRandom(seed: 1)
        for _ in 0..<10 { try commit(try model.change(&random), to: store) }
        while try truncate(store, before: 4_000) {}
        #expect(try store.audit(after: 0, limit: 99).entries == Array(model.entries[3...]))
        while try truncate(store, before: .max) {}
        #expect(try store.audit(after: 0, limit: 99).entries == [model.entries[9]])
        try commit(try model.change(&random), to: store)
        #expect(try store.audit(after: 0, limit: 99).entries == Array(model.entries[9...]))
        if let store = store as? SQLiteStore { #expect(try store.checkAll() == []) }
    }

    @Test(arguments: StoreKind.allCases)
    func `entries of a clock that was ahead go with those around them`(kind: StoreKind) throws {
        let store = try kind.make()
        var table = AccountsTable()
        for time: Int64 in [1, 9_000, 9_001, 2, 500, 9_002, 3, 4] {
            let entry = table.nextAudit(at: time, by: "ops", from: "data", changes: [])
            table.apply(.audit(entry))
            try commit([.audit(entry)], to: store)
        }
        func numbers() throws -> [Int64] {
            try store.audit(after: 0, limit: 99).entries.map(\.number)
        }
        while try truncate(store, before: 100, at: 1_000) {}
        // 500 isn't old, and what comes after it stays, whatever its time.
        #expect(try numbers() == [5, 6, 7, 8])
        while try truncate(store, before: 600, at: 1_000) {}
        #expect(try numbers() == [8])
        if let store = store as? SQLiteStore { #expect(try store.checkAll() == []) }
    }

    @Test(arguments: StoreKind.allCases)
    func `a clock that is behind removes nothing`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = AccountsModel()
        var random = SeededRandom(seed: 1)
        for _ in 0..<4 { try commit(try model.change(&random), to: store) }
        while try truncate(store, before: -1_000, at: 0) {}
        #expect(try store.audit(after: 0, limit: 9).entries.count == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `a page of the audit ends by its bytes, and has an entry at least`(
        kind: StoreKind
    ) throws {
        let store = try kind.make()
        var table = AccountsTable()
        let line = String(repeating: "x", count: Limits.accountsPageBytesMax * 3 / 8)
        for _ in 0..<7 {
            let entry = table.nextAudit(at: 1, by: "ops", from: "data", changes: [line])
            table.apply(.audit(entry))
            try commit([.audit(entry)], to: store)
        }
        #expect(try store.audit(after: 0, limit: 99).entries.map(\.number) == [1, 2, 3])
        #expect(try store.audit(after: 3, limit: 1).entries.map(\.number) == [4])
        #expect(try store.audit(after: 6, limit: 99).entries.map(\.number) == [7])
    }

    @Test func `one turn removes a bounded number of entries`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = AccountsModel()
        var random = SeededRandom(seed: 1)
        let count = StoreLimits.auditRowsPerTurn + 3
        for _ in 0..<count { try commit(try model.change(&random), to: store) }
        #expect(try truncate(store, before: .max))
        #expect(try store.audit(after: 0, limit: 9).entries == Array(model.entries.suffix(3)))
        #expect(try !truncate(store, before: .max))
        #expect(try store.audit(after: 0, limit: 9).entries == Array(model.entries.suffix(1)))
        try store.close()
    }

    @Test(arguments: [true, false], [1, 2, 3])
    func `accounts outlive the process`(isClosed: Bool, seed: UInt64) throws {
        let path = TestDirectory.make() + "/data.grove"
        var store = try SQLiteStore.open(path: path)
        var model = AccountsModel()
        var random = SeededRandom(seed: seed)
        for _ in 0..<30 { try commit(try model.change(&random), to: store) }
        if isClosed { try store.close() } else { store.shutDown() }
        store = try SQLiteStore.open(path: path)
        #expect(lines(store.accounts.rows) == lines(model.table.rows))
        #expect(try store.audit(after: 0, limit: 99).entries == model.entries)
        #expect(try store.checkAll() == [])
        try store.close()
    }

    @Test(arguments: 1...7)
    func `a file of an older schema gets the tables`(schema: Int) throws {
        let (old, _) = try filledStore(.small, beside: "b/b", steps: 60)
        let path = old.path
        try old.close()
        try makeOld(path, schema: schema)
        let inspected = try SQLiteStore.inspect(path: path)
        #expect(try inspected.checkAll() == [])
        #expect(try inspected.audit(after: 0, limit: 9).entries.isEmpty)
        try inspected.close()
        var store = try SQLiteStore.open(path: path)
        #expect(store.accounts.rows.isEmpty)
        var model = AccountsModel()
        try commit(try model.addPrincipal("shop", identity: "uid:1000"), to: store)
        try store.close()
        store = try SQLiteStore.open(path: path)
        #expect(lines(store.accounts.rows) == lines(model.table.rows))
        #expect(try store.checkAll() == [])
        try store.close()
        #expect(try sqlite(path, "PRAGMA user_version") == "8\n")
    }

    @Test(arguments: [
        ("UPDATE principals SET name = 'n' WHERE number = 2", "principal 2 "),
        ("UPDATE principals SET revoked = 1 WHERE number = 3", "principal 3 "),
        ("UPDATE principals SET account = x'7b7d'", "principal 2 "),
        ("UPDATE principals SET number = 9 WHERE number = 3", "principal 9 "),
        ("UPDATE tokens SET principal = 3 WHERE principal = 2", "token aaaaaaaa "),
        ("UPDATE tokens SET expires = NULL", "token aaaaaaaa "),
        ("UPDATE tokens SET last_used = 0", "token aaaaaaaa "),
        ("UPDATE tokens SET digest = zeroblob(32)", "token aaaaaaaa "),
        ("DELETE FROM principals WHERE number = 3", "token bbbbbbbb is of no principal"),
        ("UPDATE audit SET time = 0 WHERE number = 4", "entry 4 "),
        ("UPDATE audit SET hash = zeroblob(32) WHERE number = 4", "entry 4 "),
    ])
    func `a damaged row is named at opening`(sql: String, words: String) throws {
        let (path, _) = try prepared()
        try sqlite(path, sql)
        do throws(StoreOpenError) {
            _ = try SQLiteStore.open(path: path)
            Issue.record("a damaged file was opened")
        } catch {
            guard case .corrupt(let place) = error else { throw error }
            #expect(place.contains(words), "\(place)")
        }
    }

    @Test(arguments: [
        ("UPDATE audit SET time = time", ""), ("DELETE FROM audit WHERE number = 1", ""),
        ("DELETE FROM audit", "the audit is empty, although there are accounts"),
        ("DELETE FROM audit WHERE number = 2", "entry 2 of the audit is missing"),
        ("UPDATE audit SET body = x'7b7d' WHERE number = 2", "entry 2 of the audit does not match"),
        ("UPDATE audit SET crc = 0 WHERE number = 1", "entry 1 of the audit does not match"),
    ])
    func `the check names a damaged audit`(sql: String, words: String) throws {
        let (path, _) = try prepared()
        try sqlite(path, sql)
        let store = try SQLiteStore.open(path: path)
        let problems = try store.checkAll().map(\.description)
        #expect(problems.isEmpty == words.isEmpty, "\(problems)")
        #expect(words.isEmpty || problems.contains { $0.contains(words) }, "\(problems)")
        try store.close()
    }

    @Test func `the check names what sound rows say wrongly`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var account = Account(try PrincipalName("shop"))
        account.insert(try Identity("uid:1"))
        let forged = AuditEntry(
            number: 2, after: [UInt8](repeating: 1, count: 32), time: 2, by: "a", from: "b",
            changes: [])
        let first = AuditEntry(
            number: 1, after: AuditEntry.noHash, time: 1, by: "a", from: "b", changes: [])
        try commit(
            [
                .principal(StoredPrincipal(number: 2, account: account)),
                .principal(StoredPrincipal(number: 3, account: account)),
                .audit(first), .audit(forged),
            ], to: store)
        #expect(
            try store.checkAll().map(\.description) == [
                "principals 2 and 3 have one name", "principals 2 and 3 have an identity in common",
                "entry 2 of the audit does not follow the one before",
            ])
        try store.close()
    }

    @Test(arguments: FaultyFiles.Kind.each)
    func `a commit that is cut leaves old or new accounts, and a whole chain`(
        kind: FaultyFiles.Kind
    ) throws {
        let (path, start) = try prepared()
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var call = 1
        while true {
            let copy = try TestDirectory.copy(directory)
            let files = try #require(FaultyFiles())
            files.fail(
                kind, call: call,
                with: FaultyFiles.Fault(code: SQLITE_IOERR | (3 << 8), isSticky: true))
            let possible = try cut(copy + "/data.grove", files, start)
            if files.fired == 0 { break }
            let store = try SQLiteStore.open(path: copy + "/data.grove")
            let found = lines(store.accounts.rows)
            #expect(possible.contains { lines($0.table.rows) == found }, "\(kind) \(call)")
            #expect(try store.checkAll() == [], "\(kind) \(call)")
            try store.close()
            try FileManager.default.removeItem(atPath: copy)
            call += 1
        }
        #expect(call > 1, "no call of the kind was seen")
    }

    private func truncate(
        _ store: any Store, before time: Int64, at now: Int64 = .max
    ) throws -> Bool {
        try store.truncateAudit(
            before: Timestamp(milliseconds: time), at: Timestamp(milliseconds: now))
    }

    /// Commits until a fault; returns the accounts before and after the commit that was cut.
    private func cut(
        _ path: String, _ files: FaultyFiles, _ start: AccountsModel
    ) throws -> [AccountsModel] {
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        var (before, after) = (start, start)
        var random = SeededRandom(seed: 5)
        let store: SQLiteStore
        do throws(StoreOpenError) {
            store = try SQLiteStore.open(path: path, options: options)
        } catch { return [start] }
        defer { store.shutDown() }
        for _ in 0..<6 {
            let rows = try after.change(&random)
            var writes = WriteSet(firstSequence: store.head + 1)
            writes.accounts = rows
            do throws(StoreError) { try store.commit(writes) } catch { return [before, after] }
            before = after
        }
        return [after]
    }
}
