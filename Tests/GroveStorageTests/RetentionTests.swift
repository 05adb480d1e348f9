import CSQLite
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// Truncating the journal, and returning pages: bounded turns, faults, damage, older
/// files. The contract's suite tests which steps are removed and which stay.
@Suite("Retention in a data file")
struct RetentionTests {
    private static let keepFew = JournalBounds(stepsMax: 50)
    private static let now = Timestamp(milliseconds: 0)

    /// A store with two instances of many steps.
    private func prepared(
        _ options: SQLiteStoreOptions = .small, steps: Int = 600
    ) throws -> (store: SQLiteStore, model: StoreModel) {
        try filledStore(options, beside: "a/aa", steps: steps)
    }

    private func expectSound(_ store: SQLiteStore, _ model: StoreModel) throws {
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        #expect(try store.checkAll() == [])
    }

    /// Opens the file again after the store's end, and expects a journal that
    /// begins where a turn may have ended.
    private func expectSoundAfterRestart(_ store: SQLiteStore, _ model: StoreModel) throws {
        let path = store.path
        let first = store.first
        store.shutDown()
        let again = try SQLiteStore.open(path: path)
        #expect(again.first >= first)
        var model = model
        model.floor = again.first
        try expectSound(again, model)
        while try again.truncate(to: Self.keepFew, at: Self.now) {}
        model.floor = again.first
        #expect(again.head - again.first + 1 < 150)
        try expectSound(again, model)
        try again.close()
    }

    // MARK: Cutting

    @Test func `does bounded work in each turn`() throws {
        var (store, model) = try prepared(steps: 1_500)
        var turns = 0
        var last = store.first
        while try store.truncate(to: Self.keepFew, at: Self.now) {
            #expect(store.first - last <= 16 * 20, "16 blocks of at most some steps")
            last = store.first
            turns += 1
        }
        #expect(turns > 5)
        model.floor = store.first
        try expectSound(store, model)
        let numbers = Dictionary(uniqueKeysWithValues: store.statistics())
        #expect(numbers["journal_first"] == store.first)
        #expect(numbers["journal_steps"] == store.head - store.first + 1)
        #expect(numbers["removed_steps"] == store.first - 1)
        #expect((numbers["journal_bytes"] ?? 0) > 500)
        try store.close()
    }

    @Test(arguments: [true, false])
    func `a truncated journal is found at its first step`(isClosed: Bool) throws {
        var (store, model) = try prepared()
        _ = try store.truncate(to: Self.keepFew, at: Self.now)
        let first = store.first
        #expect(first > 1)
        model.step("a/a", state: [1])
        try store.commit(model.takeWrites())
        let path = store.path
        if isClosed { try store.close() } else { store.shutDown() }
        let again = try SQLiteStore.open(path: path)
        #expect(again.first == first)
        model.floor = first
        try expectSound(again, model)
        try again.close()
    }

    @Test func `the journal's bytes are known after every kind of end`() throws {
        var (store, model) = try prepared()
        let path = store.path
        for round in 0..<6 {
            for number in 0..<30 { model.step("a/a", state: [UInt8(number)], outputs: round) }
            if round == 3 { model.delete("a/aa") }
            try store.commit(model.takeWrites())
            if round > 3 { _ = try store.purge() }
            if round % 2 == 0 { store.shutDown() } else { try store.close() }
            store = try SQLiteStore.open(path: path, options: .small)
            // It counts the bytes.
            #expect(try store.checkAll() == [])
        }
        try purgeAll(store)
        try expectSound(store, model)
        try store.close()
    }

    @Test func `a full disk stops it, and nothing was removed`() throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        let (store, model) = try prepared(options)
        files.fail(
            .write, call: 1,
            with: FaultyFiles.Fault(code: SQLITE_FULL, systemError: 28, isSticky: true))
        let error = #expect(throws: StoreError.self) {
            try store.truncate(to: Self.keepFew, at: Self.now)
        }
        #expect(error == .full && store.failure == nil && store.first == 1)
        files.heal()
        try expectSoundAfterRestart(store, model)
    }

    @Test(arguments: [FaultyFiles.Kind.write, .sync])
    func `it survives an error at every turn`(operation: FaultyFiles.Kind) throws {
        for call in 1...8 {
            let files = try #require(FaultyFiles())
            var options = SQLiteStoreOptions.small
            options.vfs = files.name
            let (store, model) = try prepared(options, steps: 1_500)
            files.fail(
                operation, call: call, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
            #expect(throws: StoreError.self) {
                while try store.truncate(to: Self.keepFew, at: Self.now) {}
            }
            #expect(store.failure != nil, "nothing is promised any more")
            try expectSoundAfterRestart(store, model)
        }
    }

    @Test(arguments: [
        "UPDATE journal SET crc = 0 WHERE first = 1",
        "DELETE FROM journal WHERE first = (SELECT max(first) FROM journal WHERE first < 20)",
    ])
    func `damaged oldest steps stay`(sql: String) throws {
        let (store, _) = try prepared()
        let path = store.path
        try store.close()
        try sqlite(path, sql)
        let again = try SQLiteStore.open(path: path)
        let error = #expect(throws: StoreError.self) {
            while try again.truncate(to: Self.keepFew, at: Self.now) {}
        }
        guard case .corrupt = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(again.first == 1 && again.failure == nil, "everything else goes on")
        try again.close()
    }

    @Test(arguments: [
        ("UPDATE floor SET first = first + 1", "floor does not match"),
        ("DELETE FROM floor", "floor is empty"),
        ("DELETE FROM journal WHERE first = (SELECT min(first) FROM journal)", "begin with step"),
        ("UPDATE floor SET seed = seed + 1", "floor does not match"),
    ])
    func `a journal with a forged beginning is refused`(sql: String, words: String) throws {
        let (store, _) = try prepared()
        while try store.truncate(to: Self.keepFew, at: Self.now) {}
        let path = store.path
        try store.close()
        try sqlite(path, sql)
        let error = #expect(throws: StoreOpenError.self) { try SQLiteStore.open(path: path) }
        #expect(error?.exitCode == 65 && error?.description.contains(words) == true)
    }

    // MARK: Room

    @Test func `room is returned in turns, and the file gets shorter`() throws {
        var options = SQLiteStoreOptions()
        options.freePagesMin = 10
        var (store, model) = try prepared(options, steps: 30)
        let path = store.path
        let noise = (0..<6_000).map { UInt8(truncatingIfNeeded: $0 &* 131 ^ $0 >> 3) }
        for round in 0..<400 {
            model.step("a/a", event: noise + [UInt8(truncatingIfNeeded: round)])
            if round % 20 == 19 { try store.commit(model.takeWrites()) }
        }
        try store.close()
        let before = try #require(StoreFile.size(path))
        store = try SQLiteStore.open(path: path, options: options)
        while try store.truncate(to: Self.keepFew, at: Self.now) {}
        #expect(store.freePages > 200)
        var turns = 0
        while try store.purge() { turns += 1 }
        #expect(turns > 5, "a bounded part each")
        #expect(store.freePages < 60)
        let numbers = Dictionary(uniqueKeysWithValues: store.statistics())
        #expect((numbers["returned_pages"] ?? 0) > 150 && numbers["can_shrink"] == 1)
        #expect(try !store.purge(), "nothing is left to do")
        model.floor = store.first
        try expectSound(store, model)
        try store.close()
        #expect(try #require(StoreFile.size(path)) < before / 2)
        let again = try SQLiteStore.open(path: path)
        try expectSound(again, model)
        try again.close()
    }

    @Test func `some free pages stay for later commits`() throws {
        var (store, model) = try prepared(SQLiteStoreOptions(), steps: 2_000)
        while try store.truncate(to: Self.keepFew, at: Self.now) {}
        #expect(store.freePages > 5)
        #expect(try !store.purge(), "a few pages aren't worth it")
        model.floor = store.first
        try expectSound(store, model)
        try store.close()
    }

    @Test func `returning room survives a failed sync`() throws {
        for call in 1...4 {
            let files = try #require(FaultyFiles())
            var options = SQLiteStoreOptions()
            options.freePagesMin = 4
            options.vfs = files.name
            let (store, model) = try prepared(options, steps: 4_000)
            while try store.truncate(to: Self.keepFew, at: Self.now) {}
            files.fail(.sync, call: call, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
            do {
                while try store.purge() {}
            } catch { #expect(store.failure != nil) }
            try expectSoundAfterRestart(store, model)
        }
    }

    // MARK: Older files

    /// Makes a closed file one of schema 1, as the first version made it.
    private func makeFirst(_ path: String) throws {
        try makeOld(path, schema: 1)
        try sqlite(
            path,
            "PRAGMA journal_mode=DELETE; PRAGMA auto_vacuum=NONE; VACUUM; "
                + "PRAGMA journal_mode=WAL;")
        #expect(try sqlite(path, "PRAGMA auto_vacuum") == "0\n")
    }

    @Test(arguments: [true, false])
    func `a file of schema 1 is migrated with its data`(isClosed: Bool) throws {
        var (store, model) = try prepared()
        let path = store.path
        try store.close()
        try makeFirst(path)
        store = try SQLiteStore.open(path: path)
        try expectSound(store, model)
        if isClosed {
            try store.close()
            #expect(try sqlite(path, "PRAGMA user_version") == "8\n")
        } else {
            store.shutDown()
        }
        store = try SQLiteStore.open(path: path)
        while try store.truncate(to: Self.keepFew, at: Self.now) {}
        while try store.purge() {}
        let numbers = Dictionary(uniqueKeysWithValues: store.statistics())
        #expect(numbers["can_shrink"] == 0 && numbers["returned_pages"] == 0)
        model.floor = store.first
        try expectSound(store, model)
        try store.close()
    }

    @Test func `a failed migration of schema 1 succeeds at the second attempt`() throws {
        for call in 1...3 {
            let files = try #require(FaultyFiles())
            let (store, model) = try prepared()
            let path = store.path
            try store.close()
            try makeFirst(path)
            var options = SQLiteStoreOptions()
            options.vfs = files.name
            files.fail(.sync, call: call, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
            #expect(throws: StoreOpenError.self) {
                try SQLiteStore.open(path: path, options: options)
            }
            let again = try SQLiteStore.open(path: path)
            try expectSound(again, model)
            try again.close()
        }
    }
}
