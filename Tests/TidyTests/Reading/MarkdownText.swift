/// A Markdown file taken apart as far as the rules need it: prose without code, headings, links
/// and fenced blocks.
struct MarkdownText {
    /// A link or image target.
    struct Link: Equatable {
        var line: Int
        var target: String
    }

    /// A fenced block.
    struct Block: Equatable {
        /// The line of its first fence, from 1.
        var line: Int
        /// The text after the fence: the language.
        var language: String
        /// Its content.
        var lines: [String]
    }

    /// Each line; empty where a fenced block is.
    private(set) var prose: [String] = []
    /// All fenced blocks.
    private(set) var blocks: [Block] = []

    init(_ text: String) {
        var open: (fence: Substring, block: Block)?
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " }
            if let current = open {
                if trimmed.hasPrefix(current.fence) {
                    blocks.append(current.block)
                    open = nil
                } else {
                    open?.block.lines.append(String(line))
                }
                prose.append("")
            } else if trimmed.hasPrefix("```") {
                let fence = trimmed.prefix { $0 == "`" }
                let language = String(trimmed.dropFirst(fence.count)).trimmed
                open = (fence, Block(line: index + 1, language: language, lines: []))
                prose.append("")
            } else {
                prose.append(String(line))
            }
        }
        if let open { blocks.append(open.block) }
    }

    /// The headings in order, with their level and line.
    var headings: [(level: Int, text: String, line: Int)] {
        prose.enumerated().compactMap { index, line in
            let level = line.prefix { $0 == "#" }.count
            guard (1...6).contains(level), line.dropFirst(level).first == " " else { return nil }
            return (level, String(line.dropFirst(level)).trimmed, index + 1)
        }
    }

    /// The anchors of the headings, for links with `#`.
    var anchors: Set<String> {
        Set(
            headings.map { heading in
                String(
                    heading.text.lowercased().compactMap { character -> Character? in
                        if character == " " { return "-" }
                        let isKept =
                            character.isLetter || character.isNumber || character == "-"
                            || character == "_"
                        return isKept ? character : nil
                    })
            })
    }

    /// All targets of inline links and images, code left out.
    var links: [Link] {
        prose.enumerated().flatMap { index, line in
            MarkdownText.withoutCode(line).split(separator: "](", omittingEmptySubsequences: false)
                .dropFirst()
                .compactMap { rest -> Link? in
                    guard let end = rest.firstIndex(of: ")") else { return nil }
                    return Link(line: index + 1, target: String(rest[..<end]))
                }
        }
    }

    /// Everything that stands in backticks outside of fenced blocks.
    var codeSpans: [String] {
        prose.flatMap { line in
            line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }
                .map { String($0.element) }
        }
    }

    private static func withoutCode(_ line: String) -> String {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }
            .map { String($0.element) }
            .joined(separator: "`")
    }
}

extension StringProtocol {
    /// Without blanks at its ends.
    var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" }
        guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(start[...end])
    }
}
