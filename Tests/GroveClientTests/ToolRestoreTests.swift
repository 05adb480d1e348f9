import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// `grove restore`, against the real server.
@Suite("grove restore", .ownThreads, .timeLimit(.minutes(3)))
struct ToolRestoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted()
    }

    /// A server's file in the folder, with a counter at this value and two tokens of a principal.
    private func served(_ name: String, count: Int) async throws -> ServedFile {
        let data = folder.path(name)
        for _ in 0..<2 {
            let made = try await Tool.run(
                "token", "create", "--principal", "ops", "--grant", "admin */*", "--grant",
                "send,read */*", "--data", data)
            #expect(made.code == 0, "\(made.notes)")
        }
        let served = try ServedFile(.unix(path: folder.path("s")), data: data)
        for _ in 0..<count {
            _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        }
        return served
    }

    /// A killed server's file, whose counter is at 2, and a backup of it at 1.
    private func killed() async throws -> (data: String, backup: String) {
        let served = try await served("grove.db", count: 1)
        let backup = folder.path("b.db")
        #expect(try await Tool.run("backup", backup, server: served.address).code == 0)
        _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        served.kill()
        return (served.data, backup)
    }

    private func exported(_ data: String) async throws -> String {
        try await Tool.run("export", "--data", data).output
    }

    private func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    private func count(_ served: ServedFile) async throws -> String {
        try await Tool.run("get", "counter/a", "--json", server: served.address).output
    }

    @Test func `a backup takes the place of the file, which is kept`() async throws {
        let served = try await served("grove.db", count: 3)
        let backup = folder.path("b.db")
        #expect(try await Tool.run("backup", backup, server: served.address).code == 0)
        _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        let busy = try await Tool.run("restore", backup, served.data)
        #expect(busy.code == 73, "\(busy)")
        // A crash leaves a log beside the file.
        served.kill()
        let done = try await Tool.run("restore", backup, served.data, "--json")
        #expect(done.code == 0 && done.notes.contains("--without-tokens"), "\(done)")
        let report = try JSONValue(parsing: Array(done.output.utf8))
        #expect(report["instances"] == 1 && report["valid_tokens"] == 2, "\(done)")
        #expect(report["newest"]?.string?.hasPrefix("20") == true)
        let former = try #require(report["former"]?.string)
        #expect(try names().filter { $0.contains("wal") || $0.contains("restoring") } == [])
        #expect(try await Tool.run("check-data", former).code == 0)
        let exported = try await Tool.run("export", "--data", former)
        #expect(exported.output.contains(#""count":4"#), "\(exported)")
        try served.start()
        #expect(try await count(served).contains(#""count":3"#))
    }

    @Test func `without tokens all are revoked, and an empty place is filled`() async throws {
        let served = try await served("grove.db", count: 1)
        let backup = folder.path("b.db")
        #expect(try await Tool.run("backup", backup, server: served.address).code == 0)
        served.kill()
        let data = folder.path("new.db")
        // As a command that was killed leaves it.
        try Data("no log".utf8).write(to: URL(filePath: data + ".restoring-wal"))
        let done = try await Tool.run("restore", backup, data, "--without-tokens")
        #expect(done.code == 0 && !done.notes.contains("valid"), "\(done)")
        #expect(done.lines.contains { $0.hasPrefix("tokens") && $0.hasSuffix("2, all revoked") })
        #expect(!done.output.contains("former"))
        #expect(try await Tool.run("token", "list", "--data", data).output.isEmpty)
        #expect(try await Tool.run("check-data", data, "--replay").code == 0)
        #expect(try names().filter { $0.contains("restoring") } == [])
        let same = try await Tool.run("restore", data, data)
        #expect(same.code == 64 && same.notes.contains("the same file"), "\(same)")
    }

    @Test func `what is no sound backup is refused, and the file stays`() async throws {
        let served = try await served("grove.db", count: 2)
        let backup = folder.path("b.db")
        #expect(try await Tool.run("backup", backup, server: served.address).code == 0)
        served.kill()
        var bytes = try Data(contentsOf: URL(filePath: backup))
        let place = try #require(bytes.range(of: Data(#"{"count":2}"#.utf8))).lowerBound
        bytes[place + 3] ^= 1
        try bytes.write(to: URL(filePath: backup))
        let before = try Data(contentsOf: URL(filePath: served.data))
        let damaged = try await Tool.run("restore", backup, served.data)
        #expect(damaged.code == 65 && damaged.notes.contains("damaged"), "\(damaged)")
        #expect(try await Tool.run("restore", folder.path("none"), served.data).code == 66)
        #expect(try await Tool.run("restore", served.data, folder.path("x/y")).code == 66)
        #expect(try await Tool.run("restore", backup, "").code == 64)
        let json = try await Tool.run("restore", backup, served.data, "--json")
        let error = try JSONValue(parsing: Array(json.output.utf8))["error"]
        #expect(error?["code"] == "DATA_ERROR" && error?["retry"] == false, "\(json)")
        #expect(error?["message"]?.string?.contains(backup) == true, "\(json)")
        #expect(try Data(contentsOf: URL(filePath: served.data)) == before)
        #expect(try names().filter { $0.contains("restoring") || $0.contains("before") } == [])
    }

    @Test func `a bare name is a file of the present directory`() async throws {
        let (data, backup) = try await killed()
        let done = try await Tool.run(["restore", "b.db", "grove.db"], in: folder.path(""))
        #expect(done.code == 0, "\(done)")
        #expect(try await exported(data).contains(#""count":1"#))
        let again = try await Tool.run(["restore", "b.db", "new.db"], in: folder.path(""))
        #expect(again.code == 0, "\(again)")
        #expect(try Data(contentsOf: URL(filePath: folder.path("new.db"))).count > 0)
        #expect(try await Tool.run("check-data", backup).code == 0)
    }

    @Test func `a backup with its log is one file afterwards`() async throws {
        let (data, _) = try await killed()
        let done = try await Tool.run("restore", data, folder.path("z.db"))
        #expect(done.code == 0, "\(done)")
        #expect(try names().filter { $0.hasPrefix("z.") } == ["z.db"])
        #expect(try await exported(folder.path("z.db")).contains(#""count":2"#))
    }

    @Test func `what a failing disk left is moved away, and the report says so`() async throws {
        let (data, backup) = try await killed()
        try remove(data + "-wal")
        try Data("no data file".utf8).write(to: URL(filePath: data))
        let done = try await Tool.run("restore", backup, data, "--json")
        #expect(done.code == 0 && done.notes.contains("no data file"), "\(done)")
        let report = try JSONValue(parsing: Array(done.output.utf8))
        #expect(report["former_damage"] == "it is no data file", "\(done)")
        #expect(try await exported(data).contains(#""count":1"#))
    }

    @Test func `what is beside the copy's name doesn't stop it`() async throws {
        let (data, backup) = try await killed()
        for end in ["", ".part", "-wal"] { mkfifo(data + ".restoring" + end, 0o600) }
        let done = try await Tool.run("restore", backup, data, "--without-tokens")
        #expect(done.code == 0, "\(done)")
        #expect(try names().filter { $0.contains("restoring") } == [])
    }

    @Test func `a report that can't be written doesn't hide that it was restored`() async throws {
        let (data, backup) = try await killed()
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = [
            "-c", #"exec "$0" restore "$1" "$2" >/dev/full 2>"$3""#, Tool.path, backup, data,
            folder.path("notes"),
        ]
        try shell.run()
        await onOwnThread { shell.waitUntilExit() }
        #expect(shell.terminationStatus == 74)
        let notes = try String(contentsOfFile: folder.path("notes"), encoding: .utf8)
        #expect(notes.contains("is restored from"), "\(notes)")
        #expect(notes.contains("grove.db.before-"), "\(notes)")
        #expect(try await exported(data).contains(#""count":1"#))
    }
}
