/// Splits a text into tokens (cel-spec, language definition, "Syntax").
struct Lexer {
    let text: [UInt8]
    var position = 0

    init(_ text: String) { self.text = Array(text.utf8) }

    /// The next token.
    ///
    /// - Throws: ``SyntaxFault`` if no token begins here.
    mutating func next() throws(SyntaxFault) -> Token {
        skipSpace()
        let start = position
        guard let byte = peek() else { return Token(kind: .end, offset: start) }
        if byte.isDigit || byte == UInt8(ascii: ".") && peek(1)?.isDigit == true {
            return try number()
        }
        if let token = try string() { return token }
        if Self.beginsName(byte) { return name() }
        if byte == UInt8(ascii: "`") { return try quotedName() }
        return try mark()
    }

    func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < text.count ? text[position + distance] : nil
    }

    /// The text from a place to the present one.
    func string(from start: Int) -> String {
        String(decoding: text[start..<position], as: UTF8.self)
    }

    private mutating func skipSpace() {
        while let byte = peek() {
            switch Unicode.Scalar(byte) {
            case " ", "\t", "\n", "\r", "\u{C}": position += 1
            case "/" where peek(1) == byte:
                while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
            default: return
            }
        }
    }

    static func beginsName(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte | 0x20 || byte == UInt8(ascii: "_")
    }

    private static let keywords: Set = ["true", "false", "null", "in"]
    private static let reserved: Set = [
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
        "loop", "package", "namespace", "return", "var", "void", "while",
    ]

    private mutating func name() -> Token {
        let start = position
        while let byte = peek(), Self.beginsName(byte) || byte.isDigit { position += 1 }
        let word = string(from: start)
        var token = Token(kind: .identifier(word), offset: start)
        if Self.keywords.contains(word) {
            token = Token(kind: .keyword(word), offset: start)
            token.value = word == "null" ? .null : .bool(word == "true")
        } else if Self.reserved.contains(word) {
            token = Token(kind: .reserved(word), offset: start)
        }
        return token
    }

    private mutating func quotedName() throws(SyntaxFault) -> Token {
        let start = position
        position += 1
        while let byte = peek(), byte != UInt8(ascii: "`") {
            guard Self.beginsName(byte) || byte.isDigit || ".-/ ".utf8.contains(byte) else {
                throw SyntaxFault(
                    "a name in back quotes has letters, digits, '_', '.', '-', '/' and blanks only",
                    position)
            }
            position += 1
        }
        guard peek() != nil else { throw SyntaxFault("the back quote isn't closed", start) }
        let word = string(from: start + 1)
        position += 1
        guard !word.isEmpty else { throw SyntaxFault("a name is missing", start) }
        return Token(kind: .quoted(word), offset: start)
    }

    private static let marks = [
        "==", "!=", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "!", "<", ">", "?", ":", ".",
        ",", "(", ")", "[", "]", "{", "}",
    ]

    /// The operators that are meant by a byte alone.
    private static let operators = [
        UInt8(ascii: "="): ": '==' compares", UInt8(ascii: "&"): ": write '&&'",
        UInt8(ascii: "|"): ": write '||'",
    ]

    private mutating func mark() throws(SyntaxFault) -> Token {
        let rest = text[position...]
        guard let mark = Self.marks.first(where: { rest.starts(with: $0.utf8) }) else {
            let scalar = String(decoding: rest.prefix(4), as: UTF8.self).unicodeScalars.first
            let shown = scalar.map { $0.value < 0x20 ? "U+\(hex($0.value))" : "'\($0)'" } ?? ""
            let advice = Self.operators[rest.first ?? 0] ?? ""
            throw SyntaxFault("no token begins with \(shown)\(advice)", position)
        }
        let token = Token(kind: .mark(mark), offset: position)
        position += mark.utf8.count
        return token
    }

    private func hex(_ value: UInt32) -> String { String(value, radix: 16, uppercase: true) }
}
