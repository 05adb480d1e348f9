/// A fault of an expression, with its place.
public struct CELError: Error, Hashable, Sendable {
    /// What went wrong.
    public enum Kind: String, Hashable, Sendable {
        /// The text is not an expression.
        case syntax
        /// Types don't fit, or a name is unknown.
        case type
        /// The value couldn't be computed: a missing key, a division by zero, an overflow.
        case evaluation
        /// A bound was reached: of the expression, or of one evaluation.
        case limit
    }

    /// What went wrong.
    public let kind: Kind
    /// One sentence without the place.
    public let message: String
    /// The text of the expression.
    public let expression: String
    /// The place in bytes of UTF-8 from the start, 0 for the first.
    public let offset: Int
    /// The line, counted from 1.
    public let line: Int
    /// The column in code points, counted from 1.
    public let column: Int

    init(_ kind: Kind, _ message: String, in expression: String, at offset: Int) {
        self.kind = kind
        self.message = message
        self.expression = expression
        let bytes = expression.utf8
        self.offset = min(max(offset, 0), bytes.count)
        let before = bytes.prefix(self.offset)
        let newline = UInt8(ascii: "\n")
        line = before.reduce(1) { $1 == newline ? $0 + 1 : $0 }
        let lineStart = before.lastIndex(of: newline).map(before.index(after:))
        // Bytes that begin a code point.
        column = (lineStart.map { before[$0...] } ?? before[...]).reduce(1) {
            $1 & 0xC0 == 0x80 ? $0 : $0 + 1
        }
    }
}

extension CELError: CustomStringConvertible {
    /// Place and message, the line of the expression, and a caret below the place:
    ///
    /// ```text
    /// 1:5: no such overload: int + string
    ///  | 1 + 'a'
    ///  | ..^
    /// ```
    public var description: String { "\(line):\(column): \(message)\n\(excerpt)" }

    /// The line of the expression, and a caret below the place.
    public var excerpt: String {
        let lines = expression.split(
            separator: "\n", omittingEmptySubsequences: false)
        let text = line <= lines.count ? Array(lines[line - 1].unicodeScalars) : []
        // Of a long line, the part around the place.
        let start = max(0, column - 61)
        let shown = text.dropFirst(start).prefix(100).map { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar
        }
        var excerpt = String.UnicodeScalarView()
        excerpt.append(contentsOf: shown)
        let dots = String(repeating: ".", count: column - 1 - start)
        return " | \(String(excerpt))\n | \(dots)^"
    }
}
