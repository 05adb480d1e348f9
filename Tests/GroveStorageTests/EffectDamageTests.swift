import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// Every byte of the rows of effects and of their two indexes is changed, one by one: the data read
/// then is true, or the damage is reported (reliability.md, P9).
@Suite("Damaged effects")
struct EffectDamageTests {
    /// The bits of each byte that are flipped: one, in rotation; with `GROVE_EVERY_BIT=1` all.
    private func bits(_ offset: Int) -> [Int] {
        let takesAll = ProcessInfo.processInfo.environment["GROVE_EVERY_BIT"] != nil
        return takesAll ? Array(0..<8) : [offset % 8]
    }

    /// A file with some effects, closed and without its log, and its content.
    private func prepared() throws -> (path: String, model: StoreModel) {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        let noon: Int64 = 1_700_000_000_000
        for name in ["a/a", "a/aa", "b/1"] {
            model.create(name)
            model.begin(name, due: noon + model.head * 7_919)
            model.begin(name, due: noon, lane: "pay")
            model.begin(name, lane: "mail")
        }
        model.begin("a/aa", due: noon + 1)
        model.begin("a/aa")
        try store.commit(model.takeWrites())
        try store.close()
        #expect(try run("sqlite3", path, "PRAGMA journal_mode=DELETE").output == "delete\n")
        return (path, model)
    }

    /// The offset of the only page of a table or index.
    private func page(of name: String, _ path: String) throws -> Int {
        let sql = "SELECT name, rootpage FROM sqlite_schema"
        let roots = try run("sqlite3", "-readonly", path, sql).output.split(separator: "\n")
        let root = try #require(roots.first { $0.hasPrefix(name + "|") })
        return (try #require(Int(root.dropFirst(name.utf8.count + 1))) - 1) * 8_192
    }

    /// The used bytes of a leaf page: its header, the offsets of its cells, the cells
    /// (https://sqlite.org/fileformat2.html#b_tree_pages).
    private func used(_ page: ArraySlice<UInt8>) -> (head: Range<Int>, cells: Range<Int>) {
        let start = page.startIndex
        func short(_ offset: Int) -> Int {
            Int(page[start + offset]) << 8 | Int(page[start + offset + 1])
        }
        return (0..<(8 + 2 * short(3)), short(5)..<8_192)
    }

    @Test(arguments: ["effects", "effects_due", "effects_lane"])
    func `damaged effects are true or reported, whichever byte is changed`(name: String) throws {
        let (path, model) = try prepared()
        #expect(try difference(path, model) == nil)
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        let start = try page(of: name, path)
        let used = used(bytes[start..<(start + 8_192)])
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        var counts: [Verdict: Int] = [:]
        for offset in Array(used.head) + Array(used.cells) {
            for bit in bits(offset) {
                try put(bytes[start + offset] ^ (1 << UInt8(bit)), at: start + offset, file)
                let verdict = try verdict(path, model)
                counts[verdict.kind, default: 0] += 1
                guard verdict.kind == .wrong else { continue }
                // The number and offsets of cells have no checksum. A read that doesn't pass a lost
                // cell can't notice, but the full check does.
                let isSeen = try used.head.contains(offset) && !isIntegral(path)
                #expect(isSeen, "\(name), bit \(bit) of \(offset): \(verdict.what)")
            }
            try put(bytes[start + offset], at: start + offset, file)
        }
        try file.close()
        #expect(try difference(path, model) == nil, "every byte was put back")
        #expect((counts[.reported] ?? 0) > 10 * ((counts[.unharmed] ?? 0) + (counts[.wrong] ?? 0)))
        print("\(name): \(counts.map { "\($0.key.rawValue) \($0.value)" }.sorted())")
        print("all bits: GROVE_EVERY_BIT=1 swift test --filter EffectDamageTests")
    }

    private enum Verdict: String { case unharmed, reported, wrong }

    private func put(_ byte: UInt8, at offset: Int, _ file: FileHandle) throws {
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [byte])
    }

    private func verdict(
        _ path: String, _ model: StoreModel
    ) throws -> (kind: Verdict, what: String) {
        do {
            guard let found = try difference(path, model) else { return (.unharmed, "") }
            return (.wrong, found)
        } catch is StoreError {
            return (.reported, "")
        } catch is SQLiteFailure {
            return (.reported, "")
        }
    }

    private func isIntegral(_ path: String) throws -> Bool {
        try run("sqlite3", "-readonly", path, "PRAGMA integrity_check").output == "ok\n"
    }

    /// Compares all readable data of effects; `nil` if it is as expected.
    private func difference(_ path: String, _ model: StoreModel) throws -> String? {
        let connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA cell_size_check=ON")
        let rows = try EffectTable(connection)
        let indexes = try EffectIndexes(connection, rows: rows)
        let all = model.effects.values.sorted { $0.ref < $1.ref }
        let dated = all.compactMap { row in row.due.map { (due: $0, ref: row.ref) } }
            .sorted { ($0.due, $0.ref) < ($1.due, $1.ref) }
        let found = try rowDifference(rows, model, all)
        if let found { return found }
        if try indexes.nextDue() != dated.first?.due { return "next due" }
        for entry in dated {
            let due = dated.filter { $0.due <= entry.due }.map(\.ref)
            if try indexes.due(at: entry.due, limit: 99) != due { return "due \(entry)" }
        }
        return try laneDifference(indexes, all)
    }

    private func rowDifference(
        _ rows: EffectTable, _ model: StoreModel, _ all: [StoredEffect]
    ) throws -> String? {
        for number in Int64(0)...4 {
            let own = all.filter { $0.ref.instance.value == number }
            if try rows.all(of: InstanceNumber(number)) != own { return "of \(number)" }
            for run in Int64(0)...7 {
                let ref = EffectRef(instance: InstanceNumber(number), number: run)
                if try rows.find(ref) != model.effects[ref] { return "find \(ref)" }
                let page = try rows.page(after: ref, limit: 3)
                if page != Array(all.filter { $0.ref > ref }.prefix(3)) { return "page \(ref)" }
            }
        }
        return nil
    }

    private func laneDifference(
        _ indexes: EffectIndexes, _ all: [StoredEffect]
    ) throws -> String? {
        let lanes = Set(all.compactMap(\.handlerQueue)).sorted()
        if try indexes.handlerQueues() != lanes { return "lanes" }
        for lane in lanes + ["a", "none", "z"] {
            let own = all.filter { $0.handlerQueue == lane }.map(\.ref)
            for place in [nil] + own.map({ Optional($0) }) {
                let found = try indexes.effects(inHandlerQueue: lane, after: place, limit: 2)
                let rest = own.filter { ref in place.map { $0 < ref } ?? true }
                if found != Array(rest.prefix(2)) { return "lane \(lane)" }
            }
        }
        return nil
    }
}
