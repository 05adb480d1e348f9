/// Appends JSON text to a buffer.
///
/// The bytes are stable: the same value is always written the same way, without white space, with
/// only the escapes that RFC 8259 section 7 demands, and everything from U+007F on as UTF-8. The
/// writer doesn't check that commas and brackets make sense.
public struct JSONWriter: Sendable {
    /// The text so far.
    public var bytes: [UInt8] = []

    /// A writer with room for `capacity` bytes before it has to grow.
    public init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends text that is JSON already, such as `{"id":`.
    @inlinable
    public mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends bytes that are JSON already.
    @inlinable
    public mutating func raw(_ text: some Collection<UInt8>) {
        if text.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
            bytes.append(contentsOf: text)
        }
    }

    /// Appends `null`.
    public mutating func null() { literal("null") }

    /// Appends `true` or `false`.
    public mutating func bool(_ value: Bool) {
        if value { literal("true") } else { literal("false") }
    }

    /// Appends the digits, with a minus where needed. Every `Int64` is written in full, although a
    /// reader returns one beyond ±(2^53 − 1) as a double.
    public mutating func integer(_ value: Int64) {
        var rest = value.magnitude
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        if rest < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest))
            return
        }
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
            var index = 20
            while rest > 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                index -= 1
                digits[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: digits[index...]))
        }
    }

    /// Appends the shortest text that reads back as this double, always with a fraction or an
    /// exponent, so that it reads back as a double: `5.0`, `0.1`, `1e+20`. As in ECMAScript's
    /// `JSON.stringify`, infinity and "not a number" become `null`, because JSON has no text for
    /// them.
    public mutating func double(_ value: Double) {
        guard value.isFinite else {
            null()
            return
        }
        var text = value.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// Appends a string in quotes.
    public mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a string in quotes, given as valid UTF-8.
    public mutating func string(utf8: UnsafeRawBufferPointer) {
        bytes.append(UInt8(ascii: "\""))
        characters(utf8: utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a part of a string without quotes, given as valid UTF-8.
    package mutating func characters(utf8: UnsafeRawBufferPointer) {
        var written = 0
        var index = 0
        while index < utf8.count {
            if index + 8 <= utf8.count {
                let word = utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let hits = EightBytes.escaped(UInt64(littleEndian: word))
                index += hits.trailingZeroBitCount >> 3
                if hits == 0 { continue }
            }
            let byte = utf8[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[written..<index]))
                escape(byte)
                written = index + 1
            }
            index += 1
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[written...]))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            let digit = byte & 15
            literal(byte < 0x10 ? "u000" : "u001")
            bytes.append(
                digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + (digit - 10))
        }
    }

    /// Appends a value with its contents. It isn't recursive, so any depth is fine.
    public mutating func value(_ value: JSONValue) {
        var open: [Unfinished] = []
        var next: JSONValue? = value
        while true {
            if let value = next {
                begin(value, &open)
                next = nil
            }
            guard !open.isEmpty else { return }
            next = step(&open)
            if next == nil { open.removeLast() }
        }
    }

    /// An array or object that isn't complete yet.
    private enum Unfinished {
        case array(ArraySlice<JSONValue>, isFirst: Bool)
        case object(ArraySlice<JSONObject.Member>, isFirst: Bool)
    }

    /// Writes a value without contents, or opens an array or object.
    private mutating func begin(_ value: JSONValue, _ open: inout [Unfinished]) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            open.append(.array(elements[...], isFirst: true))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            open.append(.object(object.members[...], isFirst: true))
        }
    }

    /// Writes the comma and name of the innermost container's next value, and returns the value;
    /// after the last one, writes the closing bracket and returns nil.
    private mutating func step(_ open: inout [Unfinished]) -> JSONValue? {
        switch open[open.count - 1] {
        case .array(var rest, let isFirst):
            guard let value = rest.popFirst() else {
                bytes.append(UInt8(ascii: "]"))
                return nil
            }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            open[open.count - 1] = .array(rest, isFirst: false)
            return value
        case .object(var rest, let isFirst):
            guard let member = rest.popFirst() else {
                bytes.append(UInt8(ascii: "}"))
                return nil
            }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            string(member.name)
            bytes.append(UInt8(ascii: ":"))
            open[open.count - 1] = .object(rest, isFirst: false)
            return member.value
        }
    }
}
