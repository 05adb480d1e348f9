import Foundation
import Testing

/// The Swift of the library's articles, compiled: each block stands word for word in the file
/// beside this one that is called after its article, whatever its indentation. Code of other
/// libraries is fenced as text.
@Suite("Articles of the library")
struct ArticleTests {
    /// A block of Swift in an article.
    struct Block: Sendable, CustomTestStringConvertible {
        let article: String
        let line: Int
        let lines: [String]
        var testDescription: String { "\(article):\(line)" }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let catalog =
        folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Transducers/Transducers.docc")

    static let articles: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: catalog.path)) ?? []
        return names.filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
    }()

    static let blocks: [Block] = articles.flatMap { article -> [Block] in
        let file = catalog.appending(path: article + ".md")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return blocks(of: article, in: text)
    }

    private static func blocks(of article: String, in text: String) -> [Block] {
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
        #expect(Self.articles.count == 10)
        #expect(Self.blocks.count > 40)
    }

    @Test(arguments: blocks)
    func `a block of Swift is compiled`(_ block: Block) throws {
        let file = Self.folder.appending(path: "\(block.article)Examples.swift")
        let compiled = Self.words(
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n"))
        #expect("\n\(compiled)\n".contains("\n\(Self.words(block.lines))\n"))
    }

    @Test(arguments: blocks)
    func `a line of code fits the page`(_ block: Block) {
        for line in block.lines { #expect(line.count <= 100, "\(line)") }
    }
}
