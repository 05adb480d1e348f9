import Foundation
import GroveTestSupport
import Testing

/// The commands of docs/start.md, run by a shell in their order against one server. A comment
/// `# refused` says that the server answers with a refusal; all others must succeed.
@Suite("First session", .serialized, .timeLimit(.minutes(2)))
struct StartTests {
    static let commands = Documentation.pages.filter { $0.path == "docs/start.md" }
        .flatMap(\.blocks)
        .filter { $0.language == "console" }
        .flatMap(\.lines)
        .filter { line in
            // `serve` and `watch` run until they are ended.
            line.hasPrefix("grove ") && !line.hasPrefix("grove serve")
                && !line.hasPrefix("grove watch")
        }

    @Test func `the commands of start.md work`() throws {
        try #require(Self.commands.count > 10)
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path("grove.db"))
        let binaries = try GroveBinary.find().deletingLastPathComponent().path
        for command in Self.commands {
            let line =
                "PATH='\(binaries)':\"$PATH\" GROVE_SERVER=127.0.0.1:\(server.port) \(command)"
            let outcome = try Command.run("bash", ["-c", line])
            let expected: Int32 = command.contains("# refused") ? 1 : 0
            #expect(outcome.status == expected, "\(command): \(outcome.output)")
        }
    }
}
