extension Lexer {
    /// Reads a string or bytes, with or without `r`, between one or three quotes of either kind.
    ///
    /// - Returns: Nil if none begins here.
    mutating func string() throws(SyntaxFault) -> Token? {
        let start = position
        var isRaw = false
        var isBytes = false
        var length = 0
        if peek().map({ $0 | 0x20 }) == UInt8(ascii: "b") {
            isBytes = true
            length += 1
        }
        if peek(length).map({ $0 | 0x20 }) == UInt8(ascii: "r") {
            isRaw = true
            length += 1
        }
        guard let quote = peek(length), quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        else { return nil }
        position += length
        let isTriple = peek(1) == quote && peek(2) == quote
        position += isTriple ? 3 : 1
        var content: [UInt8] = []
        while true {
            guard let byte = peek() else { throw SyntaxFault("the text isn't closed", start) }
            if byte == quote, !isTriple || peek(1) == quote && peek(2) == quote { break }
            if byte == UInt8(ascii: "\\") && !isRaw {
                try escape(isBytes, &content)
                continue
            }
            if !isTriple, byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                throw SyntaxFault("a line ends within the text; use three quotes", position)
            }
            content.append(byte)
            position += 1
        }
        position += isTriple ? 3 : 1
        var token = Token(kind: .literal, offset: start)
        token.value =
            isBytes ? .bytes(content) : .string(String(decoding: content, as: UTF8.self))
        return token
    }

    private static let short: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10,
        UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "v"): 11,
        UInt8(ascii: "\\"): 92, UInt8(ascii: "?"): 63, UInt8(ascii: "\""): 34,
        UInt8(ascii: "'"): 39, UInt8(ascii: "`"): 96,
    ]

    /// Reads an escape: of bytes, numbers are bytes; of text, they are code points.
    private mutating func escape(
        _ isBytes: Bool, _ content: inout [UInt8]
    ) throws(SyntaxFault) {
        let start = position
        guard let letter = peek(1) else { throw SyntaxFault("the text isn't closed", start) }
        position += 2
        if let byte = Self.short[letter] { return content.append(byte) }
        let value: UInt32
        switch Unicode.Scalar(letter) {
        case "x", "X": value = try digits(2, radix: 16, start)
        case "u" where !isBytes: value = try digits(4, radix: 16, start)
        case "U" where !isBytes: value = try digits(8, radix: 16, start)
        case "0"..."3":
            position -= 1
            value = try digits(3, radix: 8, start)
        default: throw SyntaxFault("there is no such escape", start)
        }
        if isBytes { return content.append(UInt8(truncatingIfNeeded: value)) }
        guard let scalar = Unicode.Scalar(value) else {
            throw SyntaxFault("the escape isn't a Unicode code point", start)
        }
        content.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
    }

    private mutating func digits(
        _ count: Int, radix: Int, _ start: Int
    ) throws(SyntaxFault) -> UInt32 {
        let end = position + count
        let digits = text[position..<min(end, text.count)]
        // Unlike a number, an escape has no sign.
        guard digits.count == count, digits.first != UInt8(ascii: "+"),
            digits.first != UInt8(ascii: "-"),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
        else { throw SyntaxFault("the escape needs \(count) digits", start) }
        position = end
        return value
    }
}
