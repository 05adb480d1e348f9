extension Lexer {
    /// Reads an integer, a number with `u`, or a double. The sign isn't part of it.
    mutating func number() throws(SyntaxFault) -> Token {
        let start = position
        var token = Token(kind: .literal, offset: start)
        if peek() == UInt8(ascii: "0"), peek(1).map({ $0 | 0x20 }) == UInt8(ascii: "x") {
            position += 2
            let digits = position
            while let byte = peek(), Character(Unicode.Scalar(byte)).isHexDigit { position += 1 }
            guard position > digits else {
                throw SyntaxFault("digits are missing after 0x", start)
            }
        } else if try !skipDecimal() {
            let text = string(from: start)
            guard let value = Double(text), value.isFinite else {
                throw SyntaxFault("\(shortened(text)) is out of the range of double", start)
            }
            token.value = .double(value)
            token.number = text
            try endNumber(start)
            return token
        }
        token.number = string(from: start)
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "u") {
            position += 1
            guard let value = Self.magnitude(token.number) else {
                throw SyntaxFault("\(shortened(token.number))u is out of the range of uint", start)
            }
            token.value = .uint(value)
            token.isUnsigned = true
        } else {
            guard let value = Self.magnitude(token.number), value <= 1 << 63 else {
                throw SyntaxFault("\(shortened(token.number)) is out of the range of int", start)
            }
            // 2^63 is an int only with a minus sign: the parser looks.
            token.value = value == 1 << 63 ? .uint(value) : .int(Int64(value))
        }
        try endNumber(start)
        return token
    }

    /// Skips decimal digits, fraction and exponent.
    ///
    /// - Returns: Whether they were digits alone.
    private mutating func skipDecimal() throws(SyntaxFault) -> Bool {
        var isInteger = true
        skipDigits()
        if peek() == UInt8(ascii: "."), peek(1)?.isDigit == true {
            isInteger = false
            position += 1
            skipDigits()
        }
        if peek().map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            let start = position
            position += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            guard peek()?.isDigit == true else {
                throw SyntaxFault("the exponent has no digits", start)
            }
            isInteger = false
            skipDigits()
        }
        return isInteger
    }

    private mutating func skipDigits() {
        while peek()?.isDigit == true { position += 1 }
    }

    private func endNumber(_ start: Int) throws(SyntaxFault) {
        if let byte = peek(), Lexer.beginsName(byte) || byte.isDigit {
            throw SyntaxFault("a number ends with a letter that isn't part of it", start)
        }
    }

    private static func magnitude(_ text: String) -> UInt64? {
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            return UInt64(text.dropFirst(2), radix: 16)
        }
        return UInt64(text)
    }

    private func shortened(_ text: String) -> String {
        text.utf8.count > 40 ? text.prefix(40) + "…" : text
    }
}
