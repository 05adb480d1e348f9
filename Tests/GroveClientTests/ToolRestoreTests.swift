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
        #expect(try await Tool.run("restore", served.data, folder.path("x/y")).code != 0)
        // The killed server's file has a log, so it alone isn't everything.
        let partial = try await Tool.run("restore", served.data, folder.path("z.db"))
        #expect(partial.code == 65 && partial.notes.contains("has a log beside it"), "\(partial)")
        try Data("no data file".utf8).write(to: URL(filePath: folder.path("text")))
        let foreign = try await Tool.run("restore", "--quick", backup, folder.path("text"))
        #expect(foreign.code == 65, "\(foreign)")
        #expect(try Data(contentsOf: URL(filePath: served.data)) == before)
        #expect(try names().filter { $0.contains("restoring") || $0.contains("before") } == [])
    }
}
