import Foundation
import Grove
import Testing

/// Statements of pages that no other test runs.
@Suite("Pages")
struct PageTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: Documentation.root.appending(path: path), encoding: .utf8)
    }

    @Test func `no command confuses a client with the server`() {
        for block in Documentation.pages.flatMap(\.blocks) {
            let wrong = block.lines.contains { $0.contains("pidof") || $0.contains("killall") }
            #expect(!wrong, "\(block): clients have the server's name, `grove serve` has only it")
        }
    }

    @Test func `the tests of hosting.md see the program, and its product has the command's name`()
        throws
    {
        let blocks = Documentation.pages.filter { $0.path == "docs/hosting.md" }.flatMap(\.blocks)
        let tests = blocks.filter { $0.lines.contains { $0.hasPrefix("@Suite") } }
        try #require(tests.count == 1)
        #expect(tests[0].lines.contains("@testable import Theatre"))
        let package = try #require(blocks.first { $0.lines.contains("import PackageDescription") })
        let product = ".executable(name: \"\(BoxOffice.commandName)\", targets: [\"Theatre\"])"
        #expect(package.lines.contains { $0.contains(product) })
    }

    @Test func `a code with a page is linked next to its number`() throws {
        let rows = try text("docs/reference/json-rpc.md").split(separator: "\n")
            .filter { $0.hasPrefix("| −") }
        try #require(rows.count > 20)
        for row in rows {
            guard let code = row.split(separator: "`").dropFirst().first else { continue }
            let path = "docs/reference/errors/\(code).md"
            let hasPage = FileManager.default.fileExists(
                atPath: Documentation.root.appending(path: path).path)
            #expect(row.contains("(errors/\(code).md)") == hasPage, "\(row)")
        }
    }

    @Test func `no list is interrupted`() throws {
        for page in Documentation.pages {
            let lines = try text(page.path).split(
                separator: "\n", omittingEmptySubsequences: false)
            let last = lines.last { !$0.isEmpty } ?? ""
            #expect(!last.hasSuffix(";") && !last.hasSuffix(","), "\(page.path)")
        }
    }
}
