import Foundation
import GroveClient
import GroveTestSupport
import Testing

/// Commands that are started with closed outputs, or with few descriptors.
@Suite("grove: descriptors", .ownThreads, .timeLimit(.minutes(3)))
struct ToolDescriptorsTests {
    /// A server that a shell starts with `words` after its own.
    private static func serve(_ words: String, in folder: TemporaryFolder) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let flags = "--data data.db --listen unix:s --web-listen off"
        process.arguments = ["-c", "exec '\(Tool.path)' serve \(flags) \(words)"]
        process.currentDirectoryURL = folder.url
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    @Test(arguments: [(0, "<&-"), (1, ">&-"), (2, "2>&-")])
    func `a descriptor that is missing at the start is nothing, and stays nothing`(
        number: Int, words: String
    ) async throws {
        let folder = try TemporaryFolder()
        let process = try Self.serve(words, in: folder)
        defer { kill(process.processIdentifier, SIGKILL) }
        let deadline = ContinuousClock.now + .seconds(60)
        while try await Tool.run("ping", server: .unix(path: folder.path("s"))).code != 0 {
            try #require(process.isRunning && .now < deadline, "the server doesn't start")
        }
        let path = "/proc/\(process.processIdentifier)/fd/\(number)"
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
    }

    @Test(arguments: [
        ("ulimit -n 12", "version", "may have 12 files and sockets open, and needs at least 16"),
        ("ulimit -v 150000", "version", "150000 KiB of address space, and needs at least 196608"),
        (
            "ulimit -n 18", "serve --data :memory: --listen 127.0.0.1:0 --web-listen off",
            "may have 18 files and sockets open, and a server needs"
        ),
    ])
    func `limits that are too low are an error that names them`(
        limit: String, command: String, message: String
    ) throws {
        let outcome = try Command.run(
            "/bin/sh", ["-c", "\(limit); exec '\(Tool.path)' \(command)"])
        #expect(outcome.status == 78, "\(outcome.output)")
        #expect(outcome.output.contains(message), "\(outcome.output)")
    }
}
