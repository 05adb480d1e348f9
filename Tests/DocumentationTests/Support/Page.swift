import Foundation

/// One page of the documentation: its fenced blocks.
struct Page: Sendable {
    /// A fenced block.
    struct Block: Sendable, CustomStringConvertible {
        /// The page's path from the repository's root.
        var path: String
        /// The line of its first fence, from 1.
        var line: Int
        /// The text after the fence.
        var language: String
        /// Its content.
        var lines: [String] = []

        var description: String { "\(path):\(line)" }
    }

    /// Its path from the repository's root.
    let path: String
    /// Its fenced blocks in order.
    let blocks: [Block]

    init(path: String, text: String) {
        self.path = path
        var blocks: [Block] = []
        var open: Block?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(block)
                    open = nil
                } else {
                    open = Block(
                        path: path, line: index + 1, language: String(line.dropFirst(3)))
                }
            } else {
                open?.lines.append(String(line))
            }
        }
        self.blocks = blocks
    }
}

/// The documentation that this file's repository holds.
enum Documentation {
    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The README and everything below docs, in the order of their paths.
    static let pages: [Page] = {
        var paths = ["README.md"]
        let below = FileManager.default.enumerator(atPath: root.appending(path: "docs").path)
        while let path = below?.nextObject() as? String {
            if path.hasSuffix(".md") { paths.append("docs/\(path)") }
        }
        return paths.sorted().compactMap { path in
            guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
            else {
                // A page that is missing has no sessions; that it is missing, tidy tests notice.
                return nil
            }
            return Page(path: path, text: text)
        }
    }()

    /// All blocks of one language.
    static func blocks(_ language: String) -> [Page.Block] {
        pages.flatMap(\.blocks).filter { $0.language == language }
    }
}
