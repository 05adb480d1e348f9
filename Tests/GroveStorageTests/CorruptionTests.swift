import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// A damaged file is refused or shows true data, and never crashes the server
/// (reliability.md, P9).
@Suite("A damaged data file")
struct CorruptionTests {
    /// A data file and its states by the head of the journal; several for one
    /// head if only effects changed.
    private struct Original {
        var directory: String
        var states: [JournalPosition: [StoreModel]] = [:]
        var last = StoreModel()
    }

    private func original(isClosed: Bool) throws -> Original {
        var result = Original(directory: TestDirectory.make())
        var random = SeededRandom(seed: 21)
        // Left as by a crash, after checkpoints: part of it in the log, part in the file.
        var options = SQLiteStoreOptions()
        if !isClosed { options.logBytesMax = 400_000 }
        let path = result.directory + "/data.grove"
        let store = try SQLiteStore.open(path: path, options: options)
        result.states[0] = [result.last]
        for round in 0..<60 {
            // The last commits are in the log only.
            if !isClosed, round == 40 { store.checkpointPages = .max }
            result.last.change(&random)
            try store.commit(result.last.takeWrites())
            result.states[result.last.head, default: []].append(result.last)
        }
        if isClosed { try store.close() } else { store.shutDown() }
        return result
    }

    /// Changes a file in a random way, and describes the change.
    private func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) -> String {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            bytes.removeLast(bytes.count - place)
            return "truncated at \(place)"
        case 1:
            let page = place / 8_192 * 8_192
            for index in page..<min(page + 8_192, bytes.count) { bytes[index] = 0 }
            return "zeroed page at \(page)"
        case 2:
            let from = Int.random(in: 0..<bytes.count, using: &random) / 8_192 * 8_192
            let page = place / 8_192 * 8_192
            let count = min(8_192, bytes.count - max(page, from))
            bytes.replaceSubrange(page..<(page + count), with: bytes[from..<(from + count)])
            return "page at \(from) copied to \(page)"
        default:
            let bit = UInt8.random(in: 0...7, using: &random)
            bytes[place] ^= 1 << bit
            return "bit \(bit) flipped at \(place)"
        }
    }

    /// The mutants made: `GROVE_SEEDS=17...17` repeats one, `1...2000` takes a few minutes.
    private static let seeds: ClosedRange<Int> = {
        let text = ProcessInfo.processInfo.environment["GROVE_SEEDS"] ?? "1...150"
        let ends = text.split(separator: ".").compactMap { Int($0) }
        return ends.count == 2 ? ends[0]...max(ends[0], ends[1]) : 1...150
    }()

    /// The result of a mutant.
    private enum Verdict: Hashable, CustomStringConvertible {
        case refused, detected, unharmed
        case silent(String)

        var description: String {
            switch self {
            case .refused: "refused"
            case .detected: "detected"
            case .unharmed: "unharmed"
            case .silent(let what): "wrong: \(what)"
            }
        }
    }

    private func verdict(_ directory: String, _ original: Original) throws -> Verdict {
        let path = directory + "/data.grove"
        let before = try TestDirectory.bytes(directory)
        let store: SQLiteStore
        do throws(StoreOpenError) { store = try SQLiteStore.open(path: path) } catch {
            #expect([65, 74].contains(error.exitCode), "\(error)")
            #expect(try TestDirectory.bytes(directory) == before, "\(error)")
            return .refused
        }
        defer { store.shutDown() }
        var random = SeededRandom(seed: 1)
        var silent = "head"
        do {
            for model in original.states[store.head] ?? [] {
                let found = try difference(store, model, isPurged: false, &random)
                guard let found else { return .unharmed }
                silent = found
            }
            return try store.checkAll().isEmpty ? .silent(silent) : .silent("list: \(silent)")
        } catch is StoreError { return .detected }
    }

    @Test(arguments: [("data.grove", true), ("data.grove", false), ("data.grove-wal", false)])
    func `a damaged file is refused, reports damage, or shows true data`(
        file: String, isClosed: Bool
    ) throws {
        let original = try original(isClosed: isClosed)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: original.directory + "/" + file))
        var counts: [Verdict: Int] = [:]
        for seed in CorruptionTests.seeds {
            var random = SeededRandom(seed: UInt64(seed))
            var mutant = Array(bytes)
            let what = damage(&mutant, &random)
            let copy = try TestDirectory.copy(original.directory)
            try Data(mutant).write(to: URL(fileURLWithPath: copy + "/" + file))
            let found = try verdict(copy, original)
            counts[found, default: 0] += 1
            if case .silent(let text) = found {
                Issue.record("\(file) seed \(seed), \(what): wrong data: \(text)")
            }
            try FileManager.default.removeItem(atPath: copy)
        }
        print("\(file), closed \(isClosed): \(counts)")
        print("repeat: GROVE_SEEDS=\(CorruptionTests.seeds) swift test --filter CorruptionTests")
    }

    /// Runs SQL on a closed copy of a sound file and opens it.
    private func edited(_ sql: String) throws -> (directory: String, original: Original) {
        let original = try original(isClosed: true)
        let result = try run("sqlite3", original.directory + "/data.grove", sql)
        #expect(result.code == 0, "\(result.output)")
        return (original.directory, original)
    }

    @Test(
        arguments: [
            "UPDATE journal SET steps = zeroblob(length(steps)) WHERE first = 1",
            "UPDATE journal SET count = count + 1 WHERE first = 1",
            "UPDATE journal SET link = link + 1 WHERE first = 1",
            "UPDATE journal SET chain = chain + 1 WHERE first = 1",
            "UPDATE journal SET crc = 1 WHERE first = 1",
            "UPDATE journal SET size = 100 WHERE first = 1",
            "UPDATE instances SET snapshot = zeroblob(20)",
            "UPDATE instances SET number = number + 1000",
            "UPDATE instances SET name = CAST(name AS BLOB)",
            "UPDATE dedup SET entry = zeroblob(20)", "UPDATE dedup SET key = x'00' || key",
            "UPDATE dedup SET number = number + 1",
            "UPDATE effects SET number = number + 1000", "UPDATE effects SET run = run + 1000",
            "UPDATE effects SET due = due + 1", "UPDATE effects SET due = NULL",
            "UPDATE effects SET due = 0 WHERE due IS NULL",
            "UPDATE effects SET lane = lane || 'x'", "UPDATE effects SET lane = NULL",
            "UPDATE effects SET lane = '' WHERE lane IS NULL",
            "UPDATE effects SET lane = CAST(lane AS BLOB)",
            "UPDATE effects SET body = zeroblob(20)", "UPDATE effects SET crc = 1",
            "UPDATE attention SET machine = machine || 'x'", "UPDATE attention SET kind = 3 - kind",
            "UPDATE attention SET number = number + 1000", "UPDATE attention SET run = run + 1000",
            "UPDATE attention SET crc = 1", "DELETE FROM attention",
            "UPDATE machine_counts SET machine = machine || 'x'",
            "UPDATE machine_counts SET done = done + 1",
            "UPDATE machine_counts SET failed = failed + 1",
            "UPDATE machine_counts SET asking = asking + 1",
            "UPDATE machine_counts SET crc = 1", "DELETE FROM machine_counts",
        ])
    func `damage in every column is noticed when it is read`(sql: String) throws {
        let (directory, original) = try edited(sql)
        #expect([.refused, .detected].contains(try verdict(directory, original)), "\(sql)")
    }

    @Test(arguments: [
        "DELETE FROM journal WHERE first = (SELECT max(first) FROM journal WHERE first < 100)",
        "DELETE FROM journal WHERE first = 1",
    ])
    func `missing journal rows are noticed`(sql: String) throws {
        let (directory, original) = try edited(sql)
        #expect([.refused, .detected].contains(try verdict(directory, original)))
    }

    @Test(arguments: [
        "UPDATE meta SET last_number = 0", "UPDATE meta SET log_low = 1", "DELETE FROM meta",
        "UPDATE journal SET chain = 1 WHERE first = (SELECT max(first) FROM journal)",
        "DELETE FROM journal WHERE first = (SELECT max(first) FROM journal WHERE first < "
            + "(SELECT max(first) FROM journal))",
        "REPLACE INTO garbage VALUES (1, 1, 1)", "UPDATE redo SET step = step - 1",
        "UPDATE redo SET crc = crc + 1", "DELETE FROM redo",
    ])
    func `damage in the parts that opening reads is refused`(sql: String) throws {
        let (directory, original) = try edited(sql)
        #expect(try verdict(directory, original) == .refused)
    }

    @Test func `a damaged file shows its sound parts`() throws {
        let (directory, original) = try edited(
            "UPDATE instances SET snapshot = zeroblob(20) WHERE name = 'c/instance-1'")
        let store = try SQLiteStore.open(path: directory + "/data.grove")
        let sound = original.last.instances.values.first { $0.name.text.hasPrefix("a") }
        let instance = try #require(sound)
        #expect(try store.instance(named: instance.name) == instance)
        let damaged = try #require(InstanceName("c/instance-1"))
        #expect(throws: StoreError.self) { try store.instance(named: damaged) }
        #expect(try store.instance(named: instance.name) == instance, "reads go on")
        store.shutDown()
    }

    @Test func `writing back doesn't replace an instance whose row is missing`() throws {
        let (directory, original) = try edited("DELETE FROM instances")
        let store = try SQLiteStore.open(path: directory + "/data.grove")
        var model = original.last
        let name = try #require(model.instances.keys.sorted().first)
        model.step(name)
        let writes = model.takeWrites()
        try store.commit(writes)
        let error = #expect(throws: StoreError.self) { try store.close() }
        guard case .corrupt = error else {
            Issue.record("it closed")
            return
        }
    }

    @Test(arguments: [true, false])
    func `a commit doesn't replace an effect whose row is missing`(isRemoved: Bool) throws {
        let (directory, original) = try edited("DELETE FROM effects")
        let store = try SQLiteStore.open(path: directory + "/data.grove")
        var model = original.last
        let ref = try #require(model.effects.keys.sorted().first)
        if isRemoved { model.end(ref) } else { model.change(ref, due: 1) }
        let error = #expect(throws: StoreError.self) { try store.commit(model.takeWrites()) }
        #expect(error == .corrupt(try #require(store.failure?.corruption)))
        #expect(error?.corruption?.contains("of instance \(ref.instance.value) is missing") == true)
        store.shutDown()
    }

    @Test func `a commit doesn't replace an effect by a new one`() throws {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        model.create("a/a")
        let ref = model.begin("a/a")
        try store.commit(model.takeWrites())
        model.write(model.effects[ref], ref, isNew: true)
        let error = #expect(throws: StoreError.self) { try store.commit(model.takeWrites()) }
        #expect(error?.corruption != nil)
        store.shutDown()
    }
}

extension StoreError {
    /// The damaged place, if there is one.
    fileprivate var corruption: String? { if case .corrupt(let text) = self { text } else { nil } }
}
