import Foundation
import GroveTestSupport
import Testing

/// The console is tested in a browser, by programs in JavaScript beside this file: this runs them
/// with the server that was built.
@Suite("Console", .ownThreads, .timeLimit(.minutes(8)))
struct ConsoleTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// Whether a program is installed.
    private static func has(_ program: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    /// Whether everything is there. On a machine of CI the tests run in any case, and fail if it
    /// isn't.
    private static let isComplete =
        has("node") && has("chromium") && has("chromedriver")
        || ProcessInfo.processInfo.environment["CI"] != nil

    @Test(.enabled(if: isComplete, "Node, Chromium or chromedriver isn't installed"))
    func `the console does in a browser what its manual says`() async throws {
        let outcome = try await Self.run("console.test.mjs")
        #expect(outcome.status == 0, "\(outcome.output)")
        // What was skipped must not look like success.
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.suffix(10).contains { $0.hasSuffix(" skipped 0") }, "\(outcome.output)")
        let passed = lines.suffix(10).first { $0.contains(" pass ") }?.split(separator: " ").last
        #expect(passed.flatMap { Int($0) } ?? 0 > 20, "\(outcome.output)")
    }

    @Test(.enabled(if: has("node"), "Node isn't installed"))
    func `the console's files are small, and do nothing that a page must not do`() async throws {
        let outcome = try await Self.run("assets.test.mjs")
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains(" skipped 0"), "\(outcome.output)")
    }

    /// Runs a file of tests. `timeout` ends what hangs.
    private static func run(_ file: String) async throws -> Command.Outcome {
        let server = try GroveBinary.find().path
        let test = folder.appendingPathComponent(file).path
        return try await onOwnThread {
            try Command.run(
                "timeout",
                ["-k", "5", "400", "env", "GROVE_BINARY=\(server)", "node", "--test", test])
        }
    }
}
