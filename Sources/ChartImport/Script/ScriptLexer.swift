/// Splits ECMAScript into tokens.
struct ScriptLexer {
    private let bytes: [UInt8]
    private var index = 0
    private var startsLine = false

    static func tokens(_ bytes: [UInt8]) throws(ScriptFault) -> [ScriptToken] {
        guard bytes.count <= ImportLimits.scriptBytesMax else {
            throw ScriptFault(
                kind: .unsupported, index: 0,
                message: "a script may have \(ImportLimits.scriptBytesMax) bytes")
        }
        var lexer = ScriptLexer(bytes: bytes)
        var tokens: [ScriptToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Longer marks first.
    private static let marks = [
        ">>>=", "===", "!==", ">>>", "<<=", ">>=", "**=", "...", "=>", "==", "!=", "<=", ">=",
        "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**",
        "<<", ">>", "{", "}", "(", ")", "[", "]", ".", ";", ",", "<", ">", "+", "-", "*", "/",
        "%", "&", "|", "^", "!", "~", "?", ":", "=",
    ].map { (text: $0, bytes: Array($0.utf8)) }

    private mutating func next() throws(ScriptFault) -> ScriptToken {
        startsLine = false
        try skip()
        let start = index
        func token(_ kind: ScriptToken.Kind) -> ScriptToken {
            ScriptToken(kind: kind, index: start, startsLine: startsLine)
        }
        guard index < bytes.count else { return token(.end) }
        let byte = bytes[index]
        let isFraction =
            byte == UInt8(ascii: ".") && index + 1 < bytes.count && isDigit(bytes[index + 1])
        if isDigit(byte) || isFraction { return token(.number(try number())) }
        if byte == 0x22 || byte == 0x27 { return token(.string(try string())) }
        if byte == UInt8(ascii: "`") {
            throw ScriptFault(
                kind: .unsupported, index: index, message: "templates in backquotes have no CEL")
        }
        if Self.isWordByte(byte) {
            while index < bytes.count, Self.isWordByte(bytes[index]) { index += 1 }
            return token(.word(String(decoding: bytes[start..<index], as: UTF8.self)))
        }
        guard let mark = Self.marks.first(where: { bytes[index...].starts(with: $0.bytes) })
        else {
            throw ScriptFault(
                kind: .syntax, index: index, message: "this character has no meaning here")
        }
        index += mark.bytes.count
        return token(.mark(mark.text))
    }

    /// Skips blanks and comments.
    private mutating func skip() throws(ScriptFault) {
        while index < bytes.count {
            if XMLReader.isSpace(bytes[index]) {
                if bytes[index] == 0x0A || bytes[index] == 0x0D { startsLine = true }
                index += 1
            } else if bytes[index...].starts(with: [0x2F, 0x2F]) {
                while index < bytes.count, bytes[index] != 0x0A { index += 1 }
            } else if bytes[index...].starts(with: [0x2F, 0x2A]) {
                let start = index
                index += 2
                while index < bytes.count, !bytes[index...].starts(with: [0x2A, 0x2F]) {
                    index += 1
                }
                guard index < bytes.count else {
                    throw ScriptFault(
                        kind: .syntax, index: start, message: "a comment doesn't end")
                }
                index += 2
            } else {
                return
            }
        }
    }

    private mutating func number() throws(ScriptFault) -> Double {
        let start = index
        if bytes[index] == UInt8(ascii: "0"), index + 1 < bytes.count,
            bytes[index + 1] | 0x20 == UInt8(ascii: "x")
        {
            index += 2
            let digits = index
            while index < bytes.count, Self.isWordByte(bytes[index]) { index += 1 }
            let text = String(decoding: bytes[digits..<index], as: UTF8.self)
            guard let value = UInt64(text, radix: 16) else {
                throw ScriptFault(kind: .syntax, index: start, message: "this is no number")
            }
            return Double(value)
        }
        while index < bytes.count {
            let byte = bytes[index]
            let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            let follows = index > start && bytes[index - 1] | 0x20 == UInt8(ascii: "e")
            guard Self.isWordByte(byte) || byte == UInt8(ascii: ".") || (isSign && follows) else {
                break
            }
            index += 1
        }
        var text = String(decoding: bytes[start..<index], as: UTF8.self)
        try checkNotation(text, start)
        if text.hasPrefix(".") { text = "0" + text }
        if text.hasSuffix(".") { text += "0" }
        guard let value = Double(text), value.isFinite, text.utf8.allSatisfy({ $0 != 0x70 }) else {
            throw ScriptFault(kind: .syntax, index: start, message: "this is no number")
        }
        return value
    }

    /// Refuses the numbers of ECMAScript that are written otherwise: `010`, `0b1`, `1n`, `1_000`.
    private func checkNotation(_ text: String, _ start: Int) throws(ScriptFault) {
        let bytes = Array(text.utf8)
        let isOctal = bytes.count > 1 && bytes[0] == 0x30 && bytes[1...].allSatisfy(isDigit)
        let isBased = bytes.count > 1 && bytes[0] == 0x30 && [0x62, 0x6F].contains(bytes[1] | 0x20)
        let isLarge = bytes.last == UInt8(ascii: "n") && bytes.dropLast().allSatisfy(isDigit)
        guard !isOctal, !isBased, !isLarge, !bytes.contains(UInt8(ascii: "_")) else {
            throw ScriptFault(
                kind: .unsupported, index: start,
                message: "the number '\(text)' has no counterpart: write it with decimal digits")
        }
    }

    private mutating func string() throws(ScriptFault) -> String {
        let start = index
        let quote = bytes[index]
        index += 1
        var text: [UInt8] = []
        while true {
            guard index < bytes.count, bytes[index] != 0x0A else {
                throw ScriptFault(kind: .syntax, index: start, message: "a string doesn't end")
            }
            let byte = bytes[index]
            index += 1
            if byte == quote { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") { text += try escape(start) } else { text.append(byte) }
        }
    }

    private mutating func escape(_ start: Int) throws(ScriptFault) -> [UInt8] {
        guard index < bytes.count else {
            throw ScriptFault(kind: .syntax, index: start, message: "a string doesn't end")
        }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "v"): return [0x0B]
        case UInt8(ascii: "0"): return [0x00]
        case UInt8(ascii: "x"): return try scalar(digits: 2)
        case UInt8(ascii: "u"): return try scalar(digits: 4)
        case 0x0A: return []
        default: return [byte]
        }
    }

    private mutating func scalar(digits: Int) throws(ScriptFault) -> [UInt8] {
        let text = String(decoding: bytes[index...].prefix(digits), as: UTF8.self)
        guard text.utf8.count == digits, let number = UInt32(text, radix: 16),
            let scalar = Unicode.Scalar(number)
        else {
            throw ScriptFault(
                kind: .unsupported, index: index, message: "this escape isn't a whole character")
        }
        index += digits
        return Array(String(Character(scalar)).utf8)
    }

    private func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, 0x5F, 0x24, 0x80...: true
        default: false
        }
    }
}
