import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Testing

/// The README's sessions, run as a reader would: by a shell, with `nc`. Blocks `console` whose
/// first command is `nc` are run in order against one data file, and between two of them the
/// server is killed and started again, as the text between them says.
@Suite("README", .serialized, .timeLimit(.minutes(2)))
struct ReadmeTests {
    static let sessions = Documentation.pages.filter { $0.path == "README.md" }
        .flatMap(\.blocks)
        .filter { $0.language == "console" && $0.lines.first?.hasPrefix("$ nc ") == true }

    @Test func `the README's sessions are the server's, also after a kill`() throws {
        try #require(Self.sessions.count >= 2)
        let folder = try TemporaryFolder()
        for session in Self.sessions {
            let server = try ServerProcess(data: folder.path("grove.db"))
            let (command, expected) = Self.split(session)
            let said = try Shell.lines(
                of: command.replacing("7400", with: "\(server.port)"), count: expected.count)
            #expect(said.count == expected.count, "\(session): \(said)")
            for (offset, (pattern, line)) in zip(expected, said).enumerated() {
                let actual = try JSONValue(parsing: Array(line.utf8))
                let difference = try JSONPattern(pattern).difference(from: actual)
                #expect(difference == nil, "\(session), reply \(offset + 1): \(line)")
            }
            server.kill()
        }
    }

    @Test func `the README's two set-up commands exist`() {
        let page = Documentation.pages.first { $0.path == "README.md" }
        let commands = page?.blocks.filter {
            $0.language == "console" && $0.lines.first?.hasPrefix("$ ") == false
        }.map(\.lines)
        #expect(commands?.count == 2)
        #expect(commands?.first?.first?.contains("grove serve") == true)
        #expect(commands?.last == [".ci/run"])
    }

    /// The command with its here-document, and the lines that follow it.
    static func split(_ session: Page.Block) -> (command: String, expected: [String]) {
        let end = session.lines.firstIndex(of: "END") ?? session.lines.count - 1
        let command = session.lines[...end].joined(separator: "\n").dropFirst(2)
        return (String(command), Array(session.lines[(end + 1)...]))
    }
}

/// Runs a command line as `bash` would.
enum Shell {
    /// The first `count` lines that a command prints; fewer when it ends, or is silent for ten
    /// seconds. It is ended when it has.
    static func lines(of command: String, count: Int) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        // exec: so that what is ended is the command and not the shell around it.
        process.arguments = ["-c", "exec \(command)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var bytes: [UInt8] = []
        func isComplete() -> Bool { bytes.count { $0 == UInt8(ascii: "\n") } >= count }
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        while !isComplete() {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard Glibc.poll(&poll, 1, 10_000) == 1 else { break }
            let chunk = pipe.fileHandleForReading.availableData
            if chunk.isEmpty { break }
            bytes += chunk
        }
        // Not terminate(): a child inherits the blocked signals of the thread that starts it.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return bytes.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
