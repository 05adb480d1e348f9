/// Words that the glossary in CONTRIBUTING.md replaces, in prose and comments.
enum WordRules {
    /// Replaced words, with their replacement. Letters' case doesn't matter; a blank means
    /// any blanks and the end of a line.
    static let replaced: [(words: String, instead: String)] = [
        ("whoever", "name the role: the caller, the client, the engine's driver"),
        ("puts the two together", "say what must hold, or nothing"),
        ("puts the three together", "say what must hold, or nothing"),
        ("puts it together", "say what must hold, or nothing"),
        ("puts them together", "say what must hold, or nothing"),
        ("have work", "call"),
        ("has work", "calls"),
        ("at it", "running"),
        ("so many", "give the parameter's name or the number"),
        ("is told of", "receives"),
        ("are told of", "receive"),
        ("is told", "is reported"),
        ("takes note", "records"),
        ("begins anew", "restarts"),
        ("begin anew", "restart"),
        ("anew", "again"),
        ("lets be", "leaves"),
        ("let be", "left"),
        ("by and by", "gradually"),
        ("goes by it", "uses it"),
        ("goes on", "continues"),
        ("whose turn", "the next"),
        ("stands nowhere", "is not allowed"),
        ("behind it", "after it"),
        ("behind them", "after them"),
        ("behind all", "after all"),
        ("behind each", "after each"),
    ]

    /// The replaced words in a page's prose.
    static func prose(_ page: SourceFile) -> [Problem] {
        find(in: MarkdownText(page.text).prose.map(withoutCode), of: page.path)
    }

    /// The replaced words in a Swift file's comments.
    static func comments(_ file: SourceFile) -> [Problem] {
        find(in: file.swift.comments, of: file.path)
    }

    private static func find(in lines: [String], of path: String) -> [Problem] {
        lines.enumerated().flatMap { index, line -> [Problem] in
            let words = Self.words(line)
            guard !words.isEmpty else { return [] }
            // The rest of an expression may stand on the next line.
            let next = index + 1 < lines.count ? Self.words(lines[index + 1]) : []
            return split.compactMap { rule in
                let text = words + next.prefix(rule.words.count - 1)
                guard text.count >= rule.words.count else { return nil }
                let isThere = (0...(text.count - rule.words.count)).contains {
                    text[$0..<($0 + rule.words.count)].elementsEqual(rule.words)
                }
                guard isThere else { return nil }
                let message = "“\(rule.words.joined(separator: " "))”: \(rule.instead)"
                return Problem(path: path, line: index + 1, message: message)
            }
        }
    }

    private static let split = replaced.map { rule in
        (words: rule.words.split(separator: " "), instead: rule.instead)
    }

    private static func words(_ line: String) -> [Substring] {
        line.lowercased().split { !($0.isLetter || $0 == "'") }
    }

    private static func withoutCode(_ line: String) -> String {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }
            .joined(separator: " code ")
    }
}
