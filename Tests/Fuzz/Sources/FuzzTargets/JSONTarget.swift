import OrderedJSON

extension FuzzTarget {
    /// Compares the JSON reader with a slow, simple one. Both must accept the same texts, with the
    /// same values.
    static let json = FuzzTarget(
        "json",
        words: [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "\\u", "\\ud83d\\ude00", "\\u0000", "null",
            "true", "false", "-", "0", "1e9", "1E-400", "1e400", "9007199254740993", ".5", "\"a\":",
            "\u{1F600}", "\u{FEFF}", " ", "\t", "\\n", "[[[[[[[[", "]]]]]]]]",
        ],
        smokeInputs: 30_000
    ) { input in
        let slow = SlowJSON.read(input)
        let fast = try? JSONValue(parsing: input)
        guard slow == fast else {
            throw Finding(
                "the slow reader says \(slow.map { "\($0)" } ?? "no JSON"), "
                    + "the other \(fast.map { "\($0)" } ?? "no JSON")")
        }
        guard let fast else { return }
        let again = try? JSONValue(parsing: fast.serialized())
        guard again == fast else { throw Finding("\(fast) is written as something else") }
    }
}

/// RFC 8259 and RFC 7493 taken literally, byte by byte, without regard to speed.
struct SlowJSON {
    private var rest: ArraySlice<UInt8>

    /// Returns the value, or `nil` if the text is invalid.
    static func read(_ text: [UInt8]) -> JSONValue? {
        guard text.count <= JSONLimits.standard.bytesMax,
            String(validating: text, as: UTF8.self) != nil
        else { return nil }
        var reader = SlowJSON(rest: text[...])
        reader.space()
        guard let value = reader.value(depth: 0) else { return nil }
        reader.space()
        guard reader.rest.isEmpty else { return nil }
        return value
    }

    private mutating func space() { rest = rest.drop { [32, 9, 10, 13].contains($0) } }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        if take("null") { return .null }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        switch rest.first {
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "["): return depth < 64 ? array(depth: depth + 1) : nil
        case UInt8(ascii: "{"): return depth < 64 ? object(depth: depth + 1) : nil
        default: return number()
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        guard take("[") else { return nil }
        var elements: [JSONValue] = []
        space()
        if take("]") { return .array([]) }
        while true {
            space()
            guard let element = value(depth: depth) else { return nil }
            elements.append(element)
            space()
            if take("]") { return .array(elements) }
            guard take(",") else { return nil }
        }
    }

    private mutating func object(depth: Int) -> JSONValue? {
        guard take("{") else { return nil }
        var names: Set<[UInt8]> = []
        var object = JSONObject()
        space()
        if take("}") { return .object(object) }
        while true {
            space()
            guard let name = string(), names.insert(Array(name.utf8)).inserted else { return nil }
            space()
            guard take(":") else { return nil }
            space()
            guard let value = value(depth: depth) else { return nil }
            object[name] = value
            space()
            if take("}") { return .object(object) }
            guard take(",") else { return nil }
        }
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var units: [UInt16] = []
        var plain: [UInt8] = []
        var text = ""
        func flush() -> Bool {
            text += String(decoding: plain, as: UTF8.self)
            plain = []
            guard let piece = String(validating: units, as: UTF16.self) else { return false }
            text += piece
            units = []
            return true
        }
        while let byte = rest.popFirst() {
            switch byte {
            case 0..<32: return nil
            case UInt8(ascii: "\""): return flush() ? text : nil
            case UInt8(ascii: "\\"):
                if !plain.isEmpty, !flush() { return nil }
                guard let unit = escape() else { return nil }
                units.append(unit)
            default:
                if !units.isEmpty, !flush() { return nil }
                plain.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> UInt16? {
        let short: [UInt8: UInt16] = [
            34: 34, 92: 92, 47: 47, 98: 8, 102: 12, 110: 10, 114: 13, 116: 9,
        ]
        guard let letter = rest.popFirst() else { return nil }
        if let unit = short[letter] { return unit }
        let digits = rest.prefix(4)
        guard letter == UInt8(ascii: "u"), digits.count == 4,
            digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
        else { return nil }
        rest = rest.dropFirst(4)
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func number() -> JSONValue? {
        var text = ""
        var isInteger = true
        func digits(_ reader: inout SlowJSON) -> String {
            let found = reader.rest.prefix { (48...57).contains($0) }
            reader.rest = reader.rest.dropFirst(found.count)
            return String(decoding: found, as: UTF8.self)
        }
        if take("-") { text = "-" }
        let whole = digits(&self)
        guard !whole.isEmpty, whole == "0" || !whole.hasPrefix("0") else { return nil }
        text += whole
        if take(".") {
            let fraction = digits(&self)
            guard !fraction.isEmpty else { return nil }
            text += "." + fraction
            isInteger = false
        }
        if take("e") || take("E") {
            text += "e"
            if take("-") { text += "-" } else if take("+") { text += "+" }
            let exponent = digits(&self)
            guard !exponent.isEmpty else { return nil }
            text += exponent
            isInteger = false
        }
        if isInteger, let integer = Int64(text), abs(integer) < 1 << 53 { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { return nil }
        return .double(double)
    }
}
