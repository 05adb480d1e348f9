import Foundation
import GroveTestSupport
import Testing

/// The Python client has separate tests, which need a server: this runs them against the one
/// that was built.
@Suite("Python client", .ownThreads, .timeLimit(.minutes(5)))
struct PythonClientTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Python")

    /// Uses the command on its page, with the server of these tests.
    @Test func `the Python client's tests pass, with kills and restarts`() async throws {
        let page = try String(
            contentsOf: Self.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("GROVE_BINARY=") }
        try #require(lines.count == 1)
        let command = lines[0].replacing(".build/debug/grove", with: Tool.path)
        let root = Self.folder.deletingLastPathComponent().path
        let outcome = try await run([
            "PYTHONDONTWRITEBYTECODE=1", "bash", "-c", "cd '\(root)' && \(command)",
        ])
        #expect(outcome.status == 0, "\(outcome.output)")
        // A server that isn't found skips tests, which must not look like success.
        #expect(outcome.output.contains("\nOK\n"), "\(outcome.output)")
    }

    @Test func `the Python client is one file with only the standard library`() throws {
        let file = Self.folder.appendingPathComponent("grove_client.py")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let imports = lines.filter { $0.hasPrefix("import ") || $0.hasPrefix("from ") }
            .map { $0.split(separator: " ")[1] }
        let standard: Set<Substring> = [
            "__future__", "asyncio", "base64", "binascii", "collections", "concurrent.futures",
            "contextlib", "hashlib", "ipaddress", "itertools", "json", "math", "os", "random",
            "re", "ssl", "threading", "time", "typing",
        ]
        #expect(imports.count > 5 && standard.isSuperset(of: imports), "\(imports)")
        #expect(lines.allSatisfy { $0.count <= 100 })
    }

    /// Runs `env` on a thread that may wait.
    private func run(_ arguments: [String]) async throws -> Command.Outcome {
        try await onOwnThread { try Command.run("env", arguments) }
    }
}
