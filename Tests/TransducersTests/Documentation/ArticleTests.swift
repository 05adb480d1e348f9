import Foundation
import Testing

/// The Swift in the articles of the libraries is compiled: each block is, word for word, in the
/// file of examples that is named after its article, whatever its indentation. Code of other
/// libraries is fenced as text.
@Suite("Articles of the libraries")
struct ArticleTests {
    /// A block of Swift in an article.
    struct Block: Sendable, CustomTestStringConvertible {
        let article: Article
        let line: Int
        let lines: [String]
        var testDescription: String { "\(article.name):\(line)" }
    }

    /// An article in the catalog of a library.
    struct Article: Sendable {
        let library: String
        let name: String

        var file: URL { ArticleTests.catalog(of: library).appending(path: name + ".md") }
        var examples: URL {
            ArticleTests.root
                .appending(path: "Tests/\(library)Tests/Documentation/\(name)Examples.swift")
        }
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func catalog(of library: String) -> URL {
        root.appending(path: "Sources/\(library)/\(library).docc")
    }

    static let articles: [Article] = ["Transducers", "TransducerRoutes"].flatMap { library in
        let catalog = catalog(of: library)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: catalog.path)) ?? []
        return names.filter { $0.hasSuffix(".md") }.sorted()
            .map { Article(library: library, name: String($0.dropLast(3))) }
    }

    static let blocks: [Block] = articles.flatMap { article -> [Block] in
        guard let text = try? String(contentsOf: article.file, encoding: .utf8) else { return [] }
        return blocks(of: article, in: text)
    }

    private static func blocks(of article: Article, in text: String) -> [Block] {
        var blocks: [Block] = []
        var open: (language: Substring, line: Int, lines: [String])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.hasPrefix("```") {
                if let block = open {
                    if block.language == "swift" {
                        blocks.append(
                            Block(article: article, line: block.line, lines: block.lines))
                    }
                    open = nil
                } else {
                    open = (line.dropFirst(3), index + 1, [])
                }
            } else {
                open?.lines.append(String(line))
            }
        }
        return blocks
    }

    /// The lines that count, without indentation.
    private static func words(_ lines: some Sequence<some StringProtocol>) -> String {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }
            .joined(separator: "\n")
    }

    @Test func `there are articles, and blocks in them`() {
        #expect(Self.articles.count == 11)
        #expect(Self.blocks.count > 40)
    }

    @Test(arguments: blocks)
    func `a block of Swift is compiled`(_ block: Block) throws {
        let compiled = Self.words(
            try String(contentsOf: block.article.examples, encoding: .utf8)
                .split(separator: "\n"))
        #expect("\n\(compiled)\n".contains("\n\(Self.words(block.lines))\n"))
    }

    @Test(arguments: blocks)
    func `a line of code fits the page`(_ block: Block) {
        for line in block.lines { #expect(line.count <= 100, "\(line)") }
    }
}
