import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// The bytes on disk, as `docs/internals/data-file.md` defines them: a change needs a new schema.
@Suite("The data file's format")
struct FormatTests {
    private func shell(_ path: String, _ sql: String) throws -> [String] {
        let result = try run("sqlite3", "-readonly", path, sql)
        #expect(result.code == 0, "\(result.output)")
        return result.output.split(separator: "\n").map(String.init)
    }

    private func prepared() throws -> String {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("m/a", state: Array("{}".utf8))
        model.step(
            "m/a", event: Array("7".utf8), state: Array("[7]".utf8), outputs: 2,
            key: Array("k".utf8))
        try store.commit(model.takeWrites())
        model.step("m/a", event: Array("8".utf8))
        model.create("m/b", state: Array("1".utf8))
        model.delete("m/b")
        try store.commit(model.takeWrites())
        try store.close()
        return path
    }

    @Test func `a file has these tables and settings`() throws {
        let path = try prepared()
        let tables = try shell(path, "SELECT name FROM sqlite_schema ORDER BY name")
        #expect(tables == Schema.objects(version: 8).map(\.name))
        #expect(try shell(path, "PRAGMA application_id") == ["1198681974"])
        #expect(try shell(path, "PRAGMA user_version") == ["8"])
        #expect(try shell(path, "PRAGMA page_size") == ["8192"])
        #expect(try shell(path, "PRAGMA encoding") == ["UTF-8"])
        #expect(try shell(path, "PRAGMA auto_vacuum") == ["2"])
        #expect(try shell(path, "PRAGMA integrity_check") == ["ok"])
    }

    @Test func `keeps a block of steps for each commit`() throws {
        let rows = try shell(
            try prepared(), "SELECT first, count, size, lower(hex(steps)) FROM journal")
        #expect(
            rows == [
                // Length 14; created; state; number 1; "m/a"; version 0; 1,001 ms; none before.
                "1|2|0|0e01080103" + "6d2f6100e9070002" + "7b7d"
                    // Length 46; step, hash; event, key, state, outputs; version 1; 1,002 ms;
                    // 1 back. The hash of the key and the event.
                    + "2e122e01036d2f6101ea0701" + "0137" + "016b"
                    + "272862b50711be08" + "7009440cb575c184"
                    + "02" + "046576656e" + "0130" + "00" + "0131" + "035b375d",
                // A step without a new state: 1 back, state 1 back. Then created and deleted.
                "3|3|0|" + "0e020201036d2f6102eb070101" + "0138"
                    + "0d01080203" + "6d2f6200ec0700" + "0131"
                    + "0b04000003" + "6d2f62" + "0000" + "0000",
            ])
    }

    @Test func `keeps snapshots and dedup records as described`() throws {
        let path = try prepared()
        let instances = try shell(
            path, "SELECT number, name, size, lower(hex(snapshot)) FROM instances")
        // Has keys; "1.0"; version 2; created 1,001; updated 1,003; made by 1; newest 3; state
        // at 2; no skips.
        #expect(instances == ["1|m/a|0|04" + "03312e30" + "02e907eb0701030200" + "035b375d"])
        let dedups = try shell(path, "SELECT number, hex(key), lower(hex(entry)) FROM dedup")
        #expect(dedups.count == 1)
        // The hash as in the step; state changed, two hashes; version 1; step 2; the hash of the
        // event as it was sent.
        let hash = "272862b50711be08" + "7009440cb575c184"
        #expect(dedups.first?.hasPrefix("1|6B|" + hash + "05" + "01" + "02") == true)
        #expect(dedups.first?.count == 75)
        #expect(try shell(path, "SELECT id, step FROM redo") == ["1|5"])
        #expect(try shell(path, "SELECT number, newest FROM garbage") == ["2|4"])
        let meta = "SELECT id, last_number, instances, head, in_use FROM meta"
        #expect(try shell(path, meta) == ["1|2|1|5|0"])
    }

    @Test func `keeps effects as described`() throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("m/a")
        model.begin("m/a", due: 1_000)
        model.begin("m/a", lane: "pay")
        model.end(model.begin("m/a"))
        model.note("m/a", [Array("7".utf8), Array("{}".utf8)])
        try store.commit(model.takeWrites())
        try store.close()
        // Length 18; effect; effects; number 1; "m/a"; version 0; 1,002 ms; 1 back; state 1
        // back; two effects.
        let steps = try shell(path, "SELECT lower(hex(steps)) FROM journal")
        #expect(
            steps.first?.hasSuffix("12" + "0580" + "01036d2f6100ea070101" + "020137027b7d") == true)
        // Has asked for effects; "1.0"; version 0; created and updated 1,001; made by 1; newest
        // 2; state at 1; no skips; last run 3; two effects.
        let snapshots = try shell(path, "SELECT lower(hex(snapshot)) FROM instances")
        #expect(snapshots == ["08" + "03312e30" + "00e907e90701020100" + "0302" + "027b7d"])
        let rows = try shell(
            path, "SELECT number, run, due, lane, crc, hex(body) FROM effects ORDER BY run")
        for (row, place) in zip(rows, ["1|1|1000||", "1|2||pay|"]) {
            #expect(row.hasPrefix(place))
            let fields = row.split(separator: "|", omittingEmptySubsequences: false)
            let (due, lane, body) = (Int64(fields[2]), fields[3], bytes(String(fields[5])))
            #expect(String(decoding: body, as: UTF8.self).hasPrefix(#"{"owner":"m/a","phase":"#))
            var crc = Checksum()
            let flags: Int64 = (due == nil ? 0 : 1) | (lane.isEmpty ? 0 : 2)
            let run = try #require(Int64(fields[1]))
            for part in [1, run, flags, due ?? 0, Int64(lane.utf8.count)] { crc.add(part) }
            (Array(lane.utf8) + body).withUnsafeBytes { crc.add($0) }
            #expect("\(crc.value)" == fields[4])
        }
        #expect(rows.count == 2)
        #expect(try shell(path, "SELECT effects FROM meta") == ["2"])
    }

    @Test func `a file has the described checksums`() throws {
        let path = try prepared()
        let row = try shell(
            path, "SELECT hex(steps), first, count, crc, link, chain FROM journal WHERE first = 1")
        let fields = try #require(row.first).split(separator: "|").map(String.init)
        let numbers = try fields[1...].map { try #require(Int64($0)) }
        var link = Checksum()
        bytes(fields[0]).withUnsafeBytes { link.add($0) }
        #expect(Int64(link.value) == numbers[3])
        let id = try shell(path, "SELECT log_high, log_low FROM meta")
        let halves = try #require(id.first).split(separator: "|").compactMap { Int64($0) }
        var chain = Checksum()
        for half in halves { chain.add(half) }
        let seed = Int64(chain.value)
        chain = Checksum()
        for part in [seed, numbers[3], numbers[0], numbers[1]] { chain.add(part) }
        #expect(Int64(chain.value) == numbers[4])
        var crc = link
        for part in [numbers[0], numbers[1], 0, numbers[3] << 32 | numbers[4]] { crc.add(part) }
        #expect(Int64(crc.value) == numbers[2])
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }

    @Test func `marks a file in use until it is closed`() throws {
        let directory = TestDirectory.make()
        let store = try SQLiteStore.open(path: directory + "/data.grove")
        let copy = TestDirectory.make()
        try run("cp", "-r", directory + "/.", copy)
        #expect(try shell(copy + "/data.grove", "SELECT in_use FROM meta") == ["1"])
        try store.close()
        #expect(try shell(directory + "/data.grove", "SELECT in_use FROM meta") == ["0"])
    }

    @Test func `fills its pages with blocks`() throws {
        let path = TestDirectory.make() + "/data.grove"
        let store = try SQLiteStore.open(path: path)
        var model = StoreModel()
        model.create("a/a")
        let event = Array(repeating: UInt8(7), count: 100)
        for _ in 0..<20_000 { model.step("a/a", event: event) }
        try store.commit(model.takeWrites())
        try store.close()
        let overflow =
            "SELECT count(*) FROM dbstat WHERE name = 'journal' AND pagetype = 'overflow'"
        #expect(try shell(path, overflow) == ["0"])
        let used = try shell(
            path, "SELECT 100 * sum(payload) / sum(pgsize) FROM dbstat WHERE name = 'journal'")
        #expect((Int(used.first ?? "") ?? 0) >= 95, "percent of the pages that are steps")
    }
}
