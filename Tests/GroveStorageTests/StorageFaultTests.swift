import CSQLite
import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// A read, write, sync or truncation fails, at every place (reliability.md, P8).
@Suite("SQLiteStore when the disk fails")
struct StorageFaultTests {
    /// The end of one run under a fault.
    private struct Outcome {
        /// What was acknowledged, and that with the commit whose outcome is open.
        var acknowledged: StoreModel
        var possible: StoreModel
        var openError: StoreOpenError?
        var error: StoreError?
    }

    /// Opens, commits, sweeps, checkpoints and closes; stops at the first error but a full disk.
    private func script(_ path: String, _ files: FaultyFiles, _ start: StoreModel) -> Outcome {
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        var outcome = Outcome(acknowledged: start, possible: start)
        var model = start
        var random = SeededRandom(seed: 3)
        let store: SQLiteStore
        do throws(StoreOpenError) {
            store = try SQLiteStore.open(path: path, options: options)
        } catch {
            outcome.openError = error
            return outcome
        }
        do throws(StoreError) {
            for round in 0..<12 {
                let before = model
                model.change(&random)
                outcome.possible = model
                do throws(StoreError) {
                    try store.commit(model.takeWrites())
                    outcome.acknowledged = model
                } catch {
                    guard error == .full else { throw error }
                    model = before
                }
                outcome.possible = model
                if round % 4 == 3 { _ = try store.purge() }
                if let name = InstanceName("a/a") { _ = try store.instance(named: name) }
            }
            try store.close()
        } catch {
            outcome.error = error
            check(store, stopped: error)
        }
        store.shutDown()
        return outcome
    }

    /// After an I/O error every call answers the same.
    private func check(_ store: SQLiteStore, stopped error: StoreError) {
        guard case .inputOutput = error, store.failure == error else { return }
        #expect(throws: error) { try store.record(at: 1) }
        #expect(throws: error) { try store.commit(WriteSet(firstSequence: store.head + 1)) }
        #expect(throws: error) { try store.isDeleted(InstanceNumber(1)) }
    }

    /// A file with something in it, left as a crash leaves it.
    private func prepared() throws -> (path: String, model: StoreModel) {
        let directory = TestDirectory.make()
        let store = try SQLiteStore.open(path: directory + "/data.grove", options: .small)
        var model = StoreModel()
        var random = SeededRandom(seed: 4)
        for _ in 0..<5 {
            model.change(&random)
            try store.commit(model.takeWrites())
        }
        store.shutDown()
        return (directory, model)
    }

    @Test(
        arguments: FaultyFiles.Kind.each,
        [
            FaultyFiles.Fault(code: SQLITE_IOERR | (99 << 8)),
            FaultyFiles.Fault(code: SQLITE_IOERR | (99 << 8), isSticky: true),
        ])
    func `no acknowledged step is lost, whichever call fails`(
        kind: FaultyFiles.Kind, fault: FaultyFiles.Fault
    ) throws {
        var fault = fault
        fault.code =
            [
                .read: SQLITE_IOERR | (1 << 8), .write: SQLITE_IOERR | (3 << 8),
                .sync: SQLITE_IOERR | (4 << 8), .truncate: SQLITE_IOERR | (6 << 8),
            ][kind, default: SQLITE_IOERR]
        let (directory, start) = try prepared()
        var call = 1
        while true {
            let copy = try TestDirectory.copy(directory)
            let files = try #require(FaultyFiles())
            files.fail(kind, call: call, with: fault)
            let outcome = script(copy + "/data.grove", files, start)
            if files.fired == 0 { break }
            if let error = outcome.openError { #expect(error.exitCode == 74, "\(error)") }
            #expect(outcome.error != .full)
            try recovers(copy, outcome, "\(kind) \(call)")
            try FileManager.default.removeItem(atPath: copy)
            call += call < 40 ? 1 : 7
        }
        #expect(call > 2, "no call of the kind was seen")
    }

    /// Without faults, the file opens and holds what was acknowledged, or one commit more.
    private func recovers(_ directory: String, _ outcome: Outcome, _ place: String) throws {
        let store = try SQLiteStore.open(path: directory + "/data.grove")
        var random = SeededRandom(seed: 1)
        let one = try difference(store, outcome.acknowledged, isPurged: false, &random)
        if one != nil {
            let other = try difference(store, outcome.possible, isPurged: false, &random)
            #expect(other == nil, "\(place): \(one ?? "")")
        }
        try store.close()
    }

    @Test(arguments: [
        FaultyFiles.Fault(code: SQLITE_FULL, systemError: ENOSPC),
        FaultyFiles.Fault(code: SQLITE_IOERR | (3 << 8), systemError: EDQUOT),
        FaultyFiles.Fault(code: SQLITE_IOERR | (3 << 8), systemError: EFBIG),
    ])
    func `a write without room is full, and the store continues`(fault: FaultyFiles.Fault) throws {
        let (directory, start) = try prepared()
        var call = 1
        while true {
            let copy = try TestDirectory.copy(directory)
            let files = try #require(FaultyFiles())
            files.fail(.write, call: call, with: fault)
            let outcome = script(copy + "/data.grove", files, start)
            if files.fired == 0 { break }
            if let error = outcome.openError {
                #expect(error == .full)
            } else {
                // At close there is no later time to move the log.
                #expect(outcome.error == nil || outcome.error == .full)
            }
            try recovers(copy, outcome, "write \(call)")
            try FileManager.default.removeItem(atPath: copy)
            call += call < 40 ? 1 : 7
        }
    }

    @Test func `treats a full disk as an I/O error when a sync reports it`() throws {
        let directory = TestDirectory.make()
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions()
        options.vfs = files.name
        let store = try SQLiteStore.open(path: directory + "/data.grove", options: options)
        var model = StoreModel()
        model.create("a/a")
        files.fail(
            .sync, call: 1,
            with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8), systemError: ENOSPC))
        let writes = model.takeWrites()
        let error = try #require(throws: StoreError.self) { try store.commit(writes) }
        guard case .inputOutput = error else {
            Issue.record("\(error)")
            return
        }
        files.heal()
        #expect(throws: error) { try store.commit(writes) }
        // Closing moves nothing: the log stays for the next start.
        try store.close()
        #expect((StoreFile.size(directory + "/data.grove-wal") ?? 0) > 0)
    }

    @Test(arguments: [SQLITE_FULL, SQLITE_IOERR])
    func `the probe for room uses the log, as a commit does`(code: Int32) throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions()
        options.vfs = files.name
        let store = try SQLiteStore.open(
            path: TestDirectory.make() + "/data.grove", options: options)
        files.fail(.write, call: 1, with: FaultyFiles.Fault(code: code, systemError: ENOSPC))
        let error = try #require(throws: StoreError.self) { try store.probeDiskSpace() }
        #expect(files.fired == 1)
        #expect((error == .full) == (code == SQLITE_FULL))
        #expect((store.failure == nil) == (code == SQLITE_FULL))
        files.heal()
        if code == SQLITE_FULL {
            try store.probeDiskSpace()
            var model = StoreModel()
            model.create("a/a")
            try store.commit(model.takeWrites())
        } else {
            #expect(throws: error) { try store.probeDiskSpace() }
        }
        store.shutDown()
    }

    @Test func `a checkpoint without room is repeated later`() throws {
        let directory = TestDirectory.make()
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        let store = try SQLiteStore.open(path: directory + "/data.grove", options: options)
        store.checkpointPages = .max
        var model = StoreModel()
        for round in 0..<40 {
            model.create("c/\(round)", state: Array(repeating: UInt8(round), count: 10_000))
            try store.commit(model.takeWrites())
        }
        store.checkpointPages = 1
        model.create("c/last")
        let writes = model.takeWrites()
        let before = store.counters.checkpoints
        files.fail(
            .writeToDataFile, call: 1,
            with: FaultyFiles.Fault(code: SQLITE_FULL, systemError: ENOSPC, isSticky: true))
        try store.commit(writes)
        #expect(store.counters.checkpoints == before)
        #expect(store.counters.fullDisk == 1)
        #expect(store.checkpointPages > 1, "it is not tried again at once")
        files.heal()
        store.checkpointPages = 1
        model.create("c/more")
        try store.commit(model.takeWrites())
        #expect(store.counters.checkpoints == before + 1)
        try store.close()
    }

    @Test func `a failed sync in a checkpoint ends the store`() throws {
        let files = try #require(FaultyFiles())
        var options = SQLiteStoreOptions.small
        options.vfs = files.name
        let store = try SQLiteStore.open(
            path: TestDirectory.make() + "/data.grove", options: options)
        store.checkpointPages = 1
        var model = StoreModel()
        model.create("a/a")
        // The first sync is the commit's, the second the checkpoint's.
        files.fail(.sync, call: 2, with: FaultyFiles.Fault(code: SQLITE_IOERR | (4 << 8)))
        #expect(throws: StoreError.self) { try store.commit(model.takeWrites()) }
        #expect(store.failure != nil)
        store.shutDown()
    }
}
