import Foundation
import GroveTestSupport
import Testing

/// The JavaScript client has separate tests, which need a server and Node: this runs them against
/// the server that was built.
@Suite("JavaScript client", .ownThreads, .timeLimit(.minutes(5)))
struct JavaScriptClientTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("JavaScript")

    /// Uses the command on its page, with the server of these tests.
    @Test func `the JavaScript client's tests pass, with kills and restarts`() async throws {
        let page = try String(
            contentsOf: Self.folder.appendingPathComponent("README.md"), encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("GROVE_BINARY=") }
        try #require(lines.count == 1)
        let command = lines[0].replacing(".build/debug/grove", with: Tool.path)
        let root = Self.folder.deletingLastPathComponent().path
        let outcome = try await onOwnThread {
            try Command.run(
                "timeout", ["-k", "5", "240", "bash", "-c", "cd '\(root)' && \(command)"])
        }
        #expect(outcome.status == 0, "\(outcome.output)")
        // A test that was skipped, or files that weren't found, must not look like success. Some
        // versions of Node begin these lines with `#`, others with another mark.
        let counts = outcome.output.split(separator: "\n").suffix(10)
        #expect(counts.contains { $0.hasSuffix(" skipped 0") }, "\(outcome.output)")
        #expect(counts.contains { $0.hasSuffix(" fail 0") }, "\(outcome.output)")
        let passed = counts.first { $0.contains(" pass ") }?.split(separator: " ").last
        #expect(passed.flatMap { Int($0) } ?? 0 >= 35, "\(outcome.output)")
    }

    @Test func `the JavaScript client is one file without dependencies`() throws {
        let file = Self.folder.appendingPathComponent("grove.js")
        let text = try String(contentsOf: file, encoding: .utf8)
        let imports = text.matches(of: #/(?m)^import |import\('([^']*)'\)/#)
        #expect(imports.count > 2)
        // Only Node has these, and a browser never comes to them.
        #expect(imports.allSatisfy { $0.output.1?.hasPrefix("node:") == true })
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
        // What came after Node 18.
        for word in ["withResolvers", "Array.fromAsync", "AbortSignal.any", ".toSorted("] {
            #expect(!text.contains(word), "\(word)")
        }
    }
}
