import Foundation
import Grove
import GroveTestSupport
import OrderedJSON
import Testing

/// What docs/hosting.md shows, played against the program that it makes (Examples/Theatre.swift),
/// whose tests run with these.
@Suite("Hosting", .serialized, .timeLimit(.minutes(2)))
struct HostingTests {
    private static let blocks = Documentation.pages.filter { $0.path == "docs/hosting.md" }
        .flatMap(\.blocks)

    @Test func `the dialogues of hosting.md are the server's`() async throws {
        let dialogues = Self.blocks.filter { $0.language == "theatre" }
        try #require(!dialogues.isEmpty)
        try await withServer(Theatre.definitions) { address in
            let client = try LineClient(port: address.port)
            for block in dialogues {
                for (offset, line) in block.lines.enumerated() {
                    let text = String(line.dropFirst(2))
                    if line.hasPrefix("> ") {
                        try client.send(text)
                        continue
                    }
                    let received = try client.readLine()
                    let actual = try JSONValue(parsing: Array(received.utf8))
                    let difference = try JSONPattern(text).difference(from: actual)
                    let place = "\(block.path):\(block.line + offset + 1)"
                    #expect(difference == nil, "\(place): the server says \(received)")
                }
            }
        }
    }

    @Test func `the program in Python prints its line`() async throws {
        let programs = Self.blocks.filter { $0.language == "python" }
        try #require(programs.count == 1)
        let folder = try TemporaryFolder()
        let path = folder.path("client.py")
        try Data(programs[0].lines.joined(separator: "\n").utf8).write(to: URL(filePath: path))
        try await withServer(Theatre.definitions) { address in
            let outcome = try Command.run(
                "env", ["THEATRE_PORT=\(address.port)", "python3", path])
            #expect(outcome.status == 0 && outcome.output == "version 1\n", "\(outcome.output)")
        }
    }

    @Test func `the program has its own name and commands`() {
        #expect(BoxOffice.commandName == "box-office")
        #expect(BoxOffice.subcommands.count == 1 && Theatre.subcommands.isEmpty)
        #expect(Theatre.version.isEmpty && Theatre.defaults.isEmpty)
    }

    @Test func `errors of the body and of settings are thrown`() async throws {
        struct Wrong: Error {}
        await #expect(throws: Wrong.self) {
            try await withServer(Theatre.definitions) { _ in throw Wrong() }
        }
        let failure = await #expect(throws: Server.Failure.self) {
            try await withServer(Theatre.definitions, settings: ["max-line": "x"]) { _ in }
        }
        #expect(failure?.exitCode == 78 && failure?.message.contains("max-line") == true)
        await #expect(throws: Server.Failure.self) {
            try await withServer(Theatre.definitions + Theatre.definitions) { _ in }
        }
    }
}
