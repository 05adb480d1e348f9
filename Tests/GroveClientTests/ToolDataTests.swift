import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// `grove backup`, `check-data`, `export` and `import`, against the real server.
@Suite("grove: backup, check, export and import", .ownThreads, .timeLimit(.minutes(3)))
struct ToolDataTests {
    /// A folder for a test's files, removed with it.
    private final class Folder {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + "grove-data-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }

        // A failed removal is left to the system's cleaning.
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func path(_ name: String) -> String { path + "/" + name }

        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        }

        func write(_ text: String, to name: String) throws -> String {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
            return path(name)
        }
    }

    private func fill(_ served: ServedFile) async throws {
        let client = Client(server: served.address)
        for number in 0..<40 {
            _ = try await client.send(
                to: "counter/c-\(number)",
                event: ["type": "add", "amount": .integer(Int64(number))])
        }
        _ = try await client.send(to: "turnstile/t", event: "COIN")
        _ = try await client.send(to: "order/o", event: ["type": "place", "total": 30])
        _ = try await client.stop("counter/c-7", reason: "enough")
        await client.close()
    }

    // MARK: backup and check-data

    @Test func `a backup is a sound file, and is never overwritten without --force`()
        async throws
    {
        let folder = try Folder()
        let served = try ServedFile()
        try await fill(served)
        let file = folder.path("b.db")
        let first = try await Tool.run("backup", file, "--json", server: served.address)
        #expect(first.code == 0, "\(first.notes)")
        let said = try JSONValue(parsing: Array((first.lines.first ?? "").utf8))
        let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
        #expect(said["bytes"] == .integer(Int64(size ?? 0)))
        var status = stat()
        stat(file, &status)
        #expect(status.st_mode & 0o777 == 0o600)
        let again = try await Tool.run("backup", file, server: served.address)
        #expect(again.code == 73 && again.notes.contains("--force replaces it"))
        #expect(try await Tool.run("backup", file, "--force", server: served.address).code == 0)
        #expect(try folder.names() == ["b.db"])
        let check = try await Tool.run("check-data", file)
        #expect(check.code == 0 && check.lines.first == "\(file)  sound")
        #expect(check.lines.contains("copy           not opened by a server yet"))
        let replay = try await Tool.run("check-data", file, "--replay", "--json")
        let report = try JSONValue(parsing: Array((replay.lines.first ?? "").utf8))
        #expect(replay.code == 0 && report["sound"] == true && report["instances"] == 42)
        #expect(report["replayed"] == 42 && report["differences"] == [])
    }

    @Test func `a backup takes no file that a server has, and none beside another log`()
        async throws
    {
        let served = try ServedFile()
        try await fill(served)
        let own = try await Tool.run("backup", served.data, "--force", server: served.address)
        #expect(own.code == 73 && own.notes.contains("is in use"), "\(own.notes)")
        let folder = try Folder()
        // As another backup does to the file that it replaces.
        let other = open(try folder.write("x", to: "other.db"), O_RDONLY | O_CLOEXEC)
        #expect(flock(other, LOCK_EX) == 0)
        let second = try await Tool.run(
            "backup", folder.path("other.db"), "--force", server: served.address)
        #expect(second.code == 73 && second.notes.contains("a command such as grove backup"))
        close(other)
        unlink(folder.path("other.db"))
        let link = folder.path("link.db")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: served.data)
        let linked = try await Tool.run("backup", link, "--force", server: served.address)
        #expect(linked.code == 65 && linked.notes.contains("symbolic link"), "\(linked.notes)")
        let log = folder.path("b.db-wal")
        try Data([1]).write(to: URL(filePath: log))
        let beside = try await Tool.run("backup", folder.path("b.db"), server: served.address)
        #expect(beside.code == 73 && beside.notes.contains(log), "\(beside.notes)")
        let named = try await Tool.run("backup", log, "--force", server: served.address)
        #expect(named.code == 65 && named.notes.contains("name the data file"), "\(named.notes)")
        #expect(try folder.names().sorted() == ["b.db-wal", "link.db"])
        let check = try await Tool.run("list", "counter", server: served.address)
        #expect(check.code == 0 && !check.lines.isEmpty, "the server still has its file")
    }

    @Test(arguments: ["-wal", "-journal", "-shm", "-crash", ".copying"])
    func `a server takes no name of what belongs to a data file`(ending: String) async throws {
        let folder = try Folder()
        let file = folder.path("a.db" + ending)
        let refused = try await Tool.run("serve", "--data", file, "--listen", "127.0.0.1:0")
        #expect(refused.code == 65 && refused.notes.contains("a.db: name the data file"))
        #expect(try folder.names().isEmpty)
    }

    @Test func `a backup to standard output is the same bytes`() async throws {
        let folder = try Folder()
        let served = try ServedFile()
        try await fill(served)
        let file = folder.path("b.db")
        let script = "'\(Tool.path)' backup - > '\(file)'"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.environment = ["GROVE_SERVER": served.address.description]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try await Tool.run("check-data", file).code == 0)
    }

    @Test func `changed or short pieces are refused, and no file stays`()
        async throws
    {
        for (piece, words) in [
            (#""offset":0,"data":"QUJD","crc32":1"#, "changed on the way"),
            (#""offset":3,"data":"QUJD","crc32":2743272264"#, "changed on the way"),
            (#""offset":0,"data":"QUJ?","crc32":2743272264"#, "changed on the way"),
            (#""offset":0,"data":"","crc32":0"#, "ends before its length"),
        ] {
            let folder = try Folder()
            let server = try FakeServer { connection in
                try connection.greet()
                let begin = try connection.request("backup")
                try connection.reply(begin, #""backup":"b-1","copied":1,"pages":1,"bytes":9"#)
                try connection.reply(try connection.request("ping"), "")
                let read = try connection.request("backup")
                try connection.require(read["offset"] == 0, "\(read)")
                try connection.reply(read, #""backup":"b-1",\#(piece)"#)
                try connection.awaitClose()
            }
            let outcome = try await Tool.run(
                "backup", folder.path("b.db"), server: server.address)
            #expect(outcome.code == 70 && outcome.notes.contains(words), "\(outcome.notes)")
            #expect(try folder.names() == [])
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a backup that is ended by a signal leaves no file, and says which`(signal: Int32) throws {
        let folder = try Folder()
        let begun = DispatchSemaphore(value: 0)
        let server = try FakeServer { connection in
            try connection.greet()
            _ = try connection.request("backup")
            begun.signal()
            try connection.awaitClose()
        }
        let backup = try ToolProcess(["backup", folder.path("b.db")], server: server.address)
        #expect(begun.wait(timeout: .now() + 60) == .success)
        #expect(try folder.names() == ["b.db.part"])
        backup.signal(signal)
        #expect(backup.outcome().code == 128 + signal)
        #expect(try folder.names() == [])
    }

    @Test func `a server that refuses a backup, or ends, leaves no file`() async throws {
        let folder = try Folder()
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.refuse(
                    try connection.request("backup"), "OVERLOADED", retry: true)
            },
            { connection in
                try connection.greet()
                let begin = try connection.request("backup")
                try connection.reply(begin, #""backup":"b-1","copied":0,"pages":9"#)
                _ = try connection.request("backup")
            })
        #expect(
            try await Tool.run("backup", folder.path("b.db"), server: server.address).code == 75)
        #expect(
            try await Tool.run("backup", folder.path("b.db"), server: server.address).code == 75)
        #expect(try folder.names() == [])
        let nowhere = try await Tool.run(
            "backup", folder.path("none/b.db"), server: server.address)
        #expect(nowhere.code == 73 && nowhere.notes.contains("No such file or directory"))
    }

    @Test func `check-data names damage, with an exit code per kind`()
        async throws
    {
        let folder = try Folder()
        let served = try ServedFile()
        try await fill(served)
        let file = folder.path("b.db")
        #expect(try await Tool.run("backup", file, server: served.address).code == 0)
        let busy = try await Tool.run("check-data", served.data)
        #expect(
            busy.code == 73 && busy.notes.contains("hint: make a copy with 'grove backup FILE'"))
        #expect(try await Tool.run("check-data", folder.path("none")).code == 66)
        let text = try folder.write("no data file", to: "text")
        let foreign = try await Tool.run("check-data", text)
        #expect(foreign.code == 65 && foreign.lines.last == "\(text)  damaged")
        // One bit of a snapshot, somewhere in the middle of the file.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let place = try #require(bytes.range(of: Data(#"{"count":39}"#.utf8))).lowerBound
        bytes[place + 3] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file))
        let damaged = try await Tool.run("check-data", file)
        #expect(damaged.code == 65 && damaged.output.contains("checksum"), "\(damaged.output)")
        let json = try await Tool.run("check-data", file, "--json")
        let report = try JSONValue(parsing: Array((json.lines.first ?? "").utf8))
        #expect(json.code == 65 && report["sound"] == false)
        #expect(report["problems"]?.array?.isEmpty == false)
        #expect(try await Tool.run("check-data", file, "--quick").code == 0)
    }

    @Test func `check-data reads the file of a killed server and changes no byte`() async throws {
        let served = try ServedFile()
        try await fill(served)
        served.kill()
        func contents() throws -> [Data] {
            try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: served.data + $0)) }
        }
        let before = try contents()
        #expect(!before[1].isEmpty)
        let check = try await Tool.run("check-data", served.data, "--replay")
        #expect(check.code == 0, "\(check.output)\(check.notes)")
        #expect(check.lines.contains("instances      42"))
        #expect(try contents() == before)
        let exported = try await Tool.run("export", "--data", served.data)
        #expect(exported.lines.count == 42)
        #expect(try contents() == before)
        try served.start()
        #expect(try await Tool.run("get", "turnstile/t", server: served.address).code == 0)
    }

    // MARK: export and import

    @Test
    func `an export and import copies instances, and a second one changes nothing`()
        async throws
    {
        let folder = try Folder()
        let old = try ServedFile()
        try await fill(old)
        let lines = try await Tool.run("export", server: old.address)
        #expect(lines.code == 0 && lines.lines.count == 42)
        #expect(lines.notes.hasPrefix("1 of 42 instances have timers or effects"))
        #expect(
            lines.lines.last
                == #"{"to":"turnstile/t","v":1,"state":"unlocked","done":false,"#
                + #""definition":{"name":"turnstile","version":"1.0.0"}}"#)
        let file = try folder.write(lines.output, to: "all.jsonl")
        let fresh = try ServedFile()
        let trial = try await Tool.run("import", file, "--dry-run", server: fresh.address)
        #expect(trial.code == 0 && trial.lines == ["42  would be made"])
        #expect(try await Tool.run("list", server: fresh.address).lines.isEmpty)
        let first = try await Tool.run("import", file, "--json", server: fresh.address)
        #expect(
            first.lines == [
                #"{"made":42,"present":0,"conflicts":0,"broken":0,"history":0,"dry_run":false}"#
            ])
        #expect(first.notes.contains("1 instances had timers or effects"))
        let again = try await Tool.run("export", server: fresh.address)
        // The timer isn't imported.
        #expect(again.output == lines.output.replacingOccurrences(of: #","effects":1"#, with: ""))
        _ = try await Tool.run("send", "turnstile/t", "PUSH", server: fresh.address)
        let second = try await Tool.run(
            "import", "-", "--json", server: fresh.address, input: lines.output)
        #expect(
            second.lines == [
                #"{"made":0,"present":42,"conflicts":0,"broken":0,"history":0,"dry_run":false}"#
            ])
        let state = try await Tool.run("get", "turnstile/t", "--json", server: fresh.address)
        #expect(state.output.contains(#""state":"locked","v":2"#))
        let filtered = try await Tool.run(
            "export", "--machine", "counter", "--prefix", "c-1", server: fresh.address)
        #expect(filtered.lines.count == 11)
        #expect(fresh.stop() == 0)
        let check = try await Tool.run("check-data", fresh.data, "--replay")
        #expect(check.code == 0, "\(check.output)")
    }

    private static let good = #"{"to":"counter/a","v":3,"state":{"count":3}}"#

    @Test func `broken lines are named, and nothing changes unless they may be skipped`()
        async throws
    {
        let broken = [
            "{bad", "[1]", #"{"v":3,"state":1}"#, #"{"to":"counter","v":3,"state":1}"#,
            #"{"to":"counter/b","v":-3,"state":1}"#, #"{"to":"counter/b","v":3}"#,
            #"{"to":"counter/b","v":3,"state":{"count":1},"done":"no"}"#,
            #"{"to":"counter/b","v":3,"state":"other"}"#, #"{"to":"door/b","v":3,"state":"other"}"#,
            #"{"to":"counter/b","v":3,"state":{"count":1},"result":1}"#, Self.good,
        ]
        let folder = try Folder()
        let text = ([Self.good, ""] + broken).joined(separator: "\n")
        let file = try folder.write(text, to: "some.jsonl")
        let served = try ServedFile()
        let refused = try await Tool.run("import", file, server: served.address)
        #expect(refused.code == 65 && refused.output.isEmpty)
        for line in 3...13 { #expect(refused.notes.contains("line \(line): "), "\(line)") }
        #expect(!refused.notes.contains("line 1: ") && !refused.notes.contains("line 2: "))
        #expect(refused.notes.contains("line 13: counter/a stands in line 1 too"))
        #expect(refused.notes.contains("11 lines are broken; nothing was changed"))
        #expect(try await Tool.run("list", server: served.address).lines.isEmpty)
        let json = try await Tool.run("import", file, "--json", server: served.address)
        let error = try JSONValue(parsing: Array(json.output.utf8))["error"]
        #expect(json.code == 65 && json.lines.count == 1 && error?["code"] == "DATA_ERROR")
        #expect(error?["message"] == "11 lines are broken; nothing was changed")
        #expect(
            error?["data"]?["lines"]?.array?.compactMap { $0["line"]?.integer } == Array(3...13))
        let skipped = try await Tool.run("import", file, "--skip-broken", server: served.address)
        #expect(skipped.code == 0 && skipped.lines == ["1   made", "11  broken, skipped"])
        #expect(try await Tool.run("list", server: served.address).lines.count == 1)
    }

    @Test func `existing instances in another state are conflicts`() async throws {
        let served = try ServedFile()
        _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        let input = Self.good + "\n" + #"{"to":"counter/b","v":0,"state":{"count":0}}"# + "\n"
        let refused = try await Tool.run("import", "-", server: served.address, input: input)
        #expect(refused.code == 1 && refused.notes.contains("line 1: ALREADY_EXISTS"))
        #expect(refused.notes.contains("--on-conflict skip"))
        #expect(try await Tool.run("get", "counter/b", server: served.address).code == 1)
        let skipped = try await Tool.run(
            "import", "-", "--on-conflict", "skip", server: served.address, input: input)
        #expect(
            skipped.code == 0
                && skipped.lines == ["1  made", "1  there in another state, skipped"])
        let kept = try await Tool.run("get", "counter/a", "--json", server: served.address)
        #expect(kept.output.contains(#""state":{"count":1},"v":1"#))
        let json = try await Tool.run(
            "import", "-", "--json", server: served.address, input: input)
        #expect(json.code == 1 && json.lines.count == 1)
        #expect(json.output.hasPrefix(#"{"error":{"code":"ALREADY_EXISTS","message":"1 "#))
        #expect(json.output.contains(#""data":{"lines":[{"line":1,"#), "\(json.output)")
        let nowhere = try await Tool.run("import", "/nowhere", server: served.address)
        #expect(nowhere.code == 66 && nowhere.output.isEmpty)
    }

    @Test(arguments: [
        ["import", "/nowhere"], ["import", "/nowhere.scxml"], ["batch", "/nowhere"],
        ["check", "/nowhere"], ["check-data", "/nowhere"],
    ])
    func `with --json a missing file is an error for programs too`(words: [String]) async throws {
        let outcome = try await Tool.run(words + ["--json"])
        #expect(outcome.code == 66 && outcome.lines.count == 1, "\(outcome.output)")
        let error = try JSONValue(parsing: Array(outcome.output.utf8))["error"]
        #expect(error?["code"] == "NO_INPUT" && error?["retry"] == false)
        #expect(error?["message"]?.string?.contains(words[1]) == true)
        #expect(outcome.notes.hasPrefix("error: "))
    }

    @Test(arguments: [
        ["backup"], ["backup", "-", "--json"], ["export", "--prefix", "a"],
        ["export", "--data", "x", "--server", "localhost:1"], ["check-data"],
        ["check-data", "x", "--quick", "--replay"], ["import", "x", "--on-conflict", "overwrite"],
        ["completions", "tcsh"], ["list", "--color", "sometimes"],
    ])
    func `a wrong command line is 64`(arguments: [String]) throws {
        let process = try ToolProcess(arguments, server: .unix(path: "/nonexistent"))
        process.endInput()
        let outcome = process.outcome()
        #expect(outcome.code == 64 && outcome.output.isEmpty, "\(outcome.notes)")
    }
}
