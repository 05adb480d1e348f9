/// A Swift file taken apart far enough for rules that count and search: code, comments and string
/// literals, each known with its line. It isn't a parser; it knows where text is not code.
struct SwiftText: Sendable {
    /// A string literal.
    struct Literal: Equatable, Sendable {
        /// The line it begins on, from 1.
        var line: Int
        /// The text between the quotes, as written.
        var text = ""
        /// Whether a value is put into it by `\(…)`.
        var isInterpolated = false
    }

    /// The code of each line; comments and the insides of string literals are blanked out.
    private(set) var code: [String] = []
    /// The comment of each line; empty where it has none.
    private(set) var comments: [String] = []
    /// All string literals in the order of their beginnings.
    private(set) var literals: [Literal] = []

    init(_ text: String) {
        var scanner = SwiftScanner(Array(text.utf8))
        scanner.run()
        code = SwiftText.lines(of: scanner.code)
        comments = SwiftText.lines(of: scanner.comments)
        literals = scanner.literals
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Walks over a Swift file once and sorts its bytes into code, comments and literals. Both
/// outputs have as many lines as the file.
private struct SwiftScanner {
    private let source: [UInt8]
    private var position = 0
    private var line = 1
    var code: [UInt8] = []
    var comments: [UInt8] = []
    var literals: [SwiftText.Literal] = []

    init(_ source: [UInt8]) { self.source = source }

    mutating func run() {
        while position < source.count { takeCode() }
    }

    private func starts(with text: StaticString, at offset: Int = 0) -> Bool {
        text.withUTF8Buffer { wanted in
            let start = position + offset
            guard start + wanted.count <= source.count else { return false }
            for index in 0..<wanted.count where source[start + index] != wanted[index] {
                return false
            }
            return true
        }
    }

    /// Takes one byte as code, or everything up to the end of a comment or literal.
    ///
    /// Most bytes are none that begins one of these, and are looked at once.
    private mutating func takeCode() {
        let byte = source[position]
        if byte == UInt8(ascii: "/"), starts(with: "//") {
            while position < source.count, source[position] != UInt8(ascii: "\n") {
                comments.append(source[position])
                position += 1
            }
        } else if byte == UInt8(ascii: "/"), starts(with: "/*") {
            takeBlockComment()
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "#"),
            let pounds = poundsBeforeQuote()
        {
            takeLiteral(pounds: pounds)
        } else {
            code.append(byte)
            if byte == UInt8(ascii: "\n") {
                comments.append(byte)
                line += 1
            }
            position += 1
        }
    }

    private mutating func takeBlockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                takeComment(2)
            } else if starts(with: "*/") {
                depth -= 1
                takeComment(2)
            } else {
                takeComment(1)
            }
        } while depth > 0 && position < source.count
    }

    private mutating func takeComment(_ count: Int) {
        for _ in 0..<count {
            comments.append(source[position])
            if source[position] == UInt8(ascii: "\n") { newline() }
            position += 1
        }
    }

    private mutating func newline() {
        code.append(UInt8(ascii: "\n"))
        line += 1
    }

    /// The number of `#` before a quote here; `nil` when no string begins here.
    private func poundsBeforeQuote() -> Int? {
        var count = 0
        while position + count < source.count, source[position + count] == UInt8(ascii: "#") {
            count += 1
        }
        return starts(with: "\"", at: count) ? count : nil
    }

    private func hasPounds(_ pounds: Int, at offset: Int) -> Bool {
        let start = position + offset
        return start + pounds <= source.count
            && source[start..<(start + pounds)].allSatisfy { $0 == UInt8(ascii: "#") }
    }

    private mutating func takeLiteral(pounds: Int) {
        position += pounds
        let quotes = starts(with: "\"\"\"") ? 3 : 1
        position += quotes
        code.append(UInt8(ascii: "\""))
        let index = literals.count
        literals.append(SwiftText.Literal(line: line))
        var text: [UInt8] = []
        while position < source.count {
            let isQuote = quotes == 3 ? starts(with: "\"\"\"") : starts(with: "\"")
            if isQuote, hasPounds(pounds, at: quotes) {
                position += quotes + pounds
                break
            }
            if starts(with: "\\"), hasPounds(pounds, at: 1) {
                if starts(with: "(", at: 1 + pounds) {
                    literals[index].isInterpolated = true
                    position += 2 + pounds
                    takeInterpolation()
                    continue
                }
                text.append(source[position])
                position += 1
            }
            guard position < source.count else { break }
            if source[position] == UInt8(ascii: "\n") {
                comments.append(UInt8(ascii: "\n"))
                newline()
            }
            text.append(source[position])
            position += 1
        }
        code.append(UInt8(ascii: "\""))
        literals[index].text = String(decoding: text, as: UTF8.self)
    }

    /// Takes the code between the parentheses of `\(…)`, nested literals included.
    private mutating func takeInterpolation() {
        var depth = 1
        code.append(UInt8(ascii: "("))
        while position < source.count, depth > 0 {
            if poundsBeforeQuote() == nil {
                if source[position] == UInt8(ascii: "(") { depth += 1 }
                if source[position] == UInt8(ascii: ")") { depth -= 1 }
            }
            takeCode()
        }
    }
}
