extension RegexParser {
    private static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    private static let words: [ClosedRange<UInt32>] = [
        0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A,
    ]
    private static let spaces: [ClosedRange<UInt32>] = [9...10, 12...13, 32...32]

    private static let named: [String: [ClosedRange<UInt32>]] = [
        "alnum": [0x30...0x39, 0x41...0x5A, 0x61...0x7A], "alpha": [0x41...0x5A, 0x61...0x7A],
        "ascii": [0...0x7F], "blank": [9...9, 32...32], "cntrl": [0...0x1F, 0x7F...0x7F],
        "digit": digits, "graph": [0x21...0x7E], "lower": [0x61...0x7A],
        "print": [0x20...0x7E],
        "punct": [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E],
        "space": [9...13, 32...32], "upper": [0x41...0x5A], "word": words,
        "xdigit": [0x30...0x39, 0x41...0x46, 0x61...0x66],
    ]

    /// Reads a class after `[`.
    mutating func characterClass() throws(RegexFault) -> ScalarSet {
        var set = ScalarSet()
        set.isNegated = skip("^")
        var isFirst = true
        while let scalar = rest.first, scalar != "]" || isFirst {
            isFirst = false
            if scalar == "[", let parts = try namedClass() {
                set.parts += parts
                continue
            }
            if scalar == "\\" {
                let before = rest
                rest.removeFirst()
                if let parts = try classEscape() {
                    set.parts += parts
                    continue
                }
                rest = before
            }
            let low = try classScalar()
            var high = low
            // A minus sign at the end is itself.
            if rest.first == "-", let next = rest.dropFirst().first, next != "]" {
                rest.removeFirst()
                high = try classScalar()
            }
            guard low.value <= high.value else { throw RegexFault("a range is backwards") }
            set.parts.append(.range(low.value...high.value))
        }
        guard skip("]") else { throw RegexFault("a '[' has no ']'") }
        return set
    }

    private mutating func classScalar() throws(RegexFault) -> Unicode.Scalar {
        guard let scalar = rest.popFirst() else { throw RegexFault("a '[' has no ']'") }
        return scalar == "\\" ? try scalarEscape() : scalar
    }

    /// Reads `[:alpha:]`; nil if none begins here.
    private mutating func namedClass() throws(RegexFault) -> [ScalarSet.Part]? {
        guard rest.dropFirst().first == ":" else { return nil }
        var inner = rest.dropFirst(2)
        let isNegated = inner.first == "^"
        if isNegated { inner.removeFirst() }
        let name = inner.prefix { "a"..."z" ~= $0 }
        inner = inner.dropFirst(name.count)
        guard inner.first == ":", inner.dropFirst().first == "]" else { return nil }
        guard let ranges = Self.named[String(name)] else {
            throw RegexFault("there is no class '[:\(String(name.prefix(20))):]'")
        }
        rest = inner.dropFirst(2)
        return Self.parts(ranges, isNegated)
    }

    private static func parts(
        _ ranges: [ClosedRange<UInt32>], _ isNegated: Bool
    ) -> [ScalarSet.Part] {
        isNegated ? [.outside(ranges)] : ranges.map { .range($0) }
    }

    /// Reads a class after a backslash, such as `d` or `pL`; nil if none begins here.
    mutating func classEscape() throws(RegexFault) -> [ScalarSet.Part]? {
        guard let scalar = rest.first else { throw RegexFault("a '\\' is at the end") }
        let ranges: [ClosedRange<UInt32>]
        switch scalar {
        case "d", "D": ranges = Self.digits
        case "w", "W": ranges = Self.words
        case "s", "S": ranges = Self.spaces
        case "p", "P":
            rest.removeFirst()
            return [try category(isNegated: scalar == "P")]
        default: return nil
        }
        rest.removeFirst()
        return Self.parts(ranges, "A"..."Z" ~= scalar)
    }

    /// Reads `L`, `{Lu}` or `{^Lu}`.
    private mutating func category(isNegated: Bool) throws(RegexFault) -> ScalarSet.Part {
        var isNegated = isNegated
        var name = ""
        if skip("{") {
            if skip("^") { isNegated.toggle() }
            guard let end = rest.firstIndex(of: "}") else {
                throw RegexFault("a '\\p{' has no '}'")
            }
            name = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
        } else if let letter = rest.popFirst() {
            name = String(letter)
        }
        if name == "Any" { return .range(isNegated ? 0x110000...0x110000 : 0...0x10FFFF) }
        guard let category = CategoryName(name) else {
            throw RegexFault(
                "'\\p' knows the general categories only, and not '\(name.prefix(20))'")
        }
        return .categories(category, isNegated: isNegated)
    }

    /// Reads one code point after a backslash.
    mutating func scalarEscape() throws(RegexFault) -> Unicode.Scalar {
        guard let scalar = rest.popFirst() else { throw RegexFault("a '\\' is at the end") }
        let short: [Unicode.Scalar: Unicode.Scalar] = [
            "a": "\u{7}", "f": "\u{C}", "t": "\t", "n": "\n", "r": "\r", "v": "\u{B}",
        ]
        if let value = short[scalar] { return value }
        switch scalar {
        case "x": return try hexadecimal()
        case "0"..."7":
            // One digit from 1 on alone would refer to a group, which can't be matched in linear
            // time.
            var digits = String(scalar)
            while digits.count < 3, let next = rest.first, "0"..."7" ~= next {
                digits.unicodeScalars.append(next)
                rest.removeFirst()
            }
            guard scalar == "0" || digits.count > 1, let value = UInt32(digits, radix: 8),
                let result = Unicode.Scalar(value)
            else { throw RegexFault("references to groups aren't possible") }
            return result
        default:
            let isPunctuation = scalar.isASCII && !RegexProgram.isWord(scalar)
            guard isPunctuation || scalar == "_" else {
                throw RegexFault("there is no escape '\\\(scalar)'")
            }
            return scalar
        }
    }

    private mutating func hexadecimal() throws(RegexFault) -> Unicode.Scalar {
        var digits = ""
        if skip("{") {
            while let next = rest.first, next != "}", digits.utf8.count < 8 {
                digits.unicodeScalars.append(next)
                rest.removeFirst()
            }
            guard skip("}") else { throw RegexFault("a '\\x{' has no '}'") }
        } else {
            digits = String(rest.prefix(2))
            rest = rest.dropFirst(2)
            guard digits.unicodeScalars.count == 2 else {
                throw RegexFault("'\\x' needs two digits")
            }
        }
        guard digits.first?.isHexDigit == true, let value = UInt32(digits, radix: 16),
            let scalar = Unicode.Scalar(value)
        else { throw RegexFault("'\\x' needs the number of a code point") }
        return scalar
    }
}
