public import GroveEngine
import OrderedJSON

/// Cursors as opaque text: the log's id as 22 characters of base64url, then the journal step in
/// decimal digits, then, for a record within the step, a dot and the record's index.
///
/// Clients only send the text back. A text that ``append(_:to:)`` wouldn't write for this log is
/// foreign.
public struct CursorText: Sendable {
    private let prefix: [UInt8]

    /// The text form of the cursors of one log.
    public init(log: LogID) { prefix = Self.base64URL(log) }

    /// Appends the text of `cursor`, without quotes: digits, letters, `-`, `_` and `.` only.
    public func append(_ cursor: Cursor, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: prefix)
        Self.append(UInt64(cursor.sequence), to: &bytes)
        if cursor.index != Cursor.stepEnd {
            bytes.append(UInt8(ascii: "."))
            Self.append(UInt64(cursor.index), to: &bytes)
        }
    }

    /// Appends a member. `name` has the comma before it, the colon and the opening quote too.
    func append(_ cursor: Cursor, as name: StaticString, to writer: inout JSONWriter) {
        writer.literal(name)
        append(cursor, to: &writer.bytes)
        writer.bytes.append(UInt8(ascii: "\""))
    }

    public func string(_ cursor: Cursor) -> String {
        var bytes: [UInt8] = []
        append(cursor, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    public func cursor(_ text: UnsafeRawBufferPointer) -> Cursor? {
        guard text.count > prefix.count, text.prefix(prefix.count).elementsEqual(prefix) else {
            return nil
        }
        let rest = text[prefix.count...]
        guard let point = rest.firstIndex(of: UInt8(ascii: ".")) else {
            return Self.number(rest).map { Cursor(sequence: $0) }
        }
        guard let sequence = Self.number(rest[..<point]),
            let index = Self.number(rest[(point + 1)...]), index < Int64(Cursor.stepEnd)
        else { return nil }
        return Cursor(sequence: sequence, index: Int32(index))
    }

    static func isCursor(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count > 22, text.prefix(22).allSatisfy(alphabet.contains) else { return false }
        let rest = text[22...]
        guard let point = rest.firstIndex(of: UInt8(ascii: ".")) else {
            return number(rest) != nil
        }
        return number(rest[..<point]) != nil && number(rest[(point + 1)...]) != nil
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Decimal digits without a leading zero, of a number that fits 63 bits.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else {
            return nil
        }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        if value < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(value))
            return
        }
        // 20 digits hold every 64-bit number.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var value = value
            var start = 20
            while value > 0 {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(value % 10)
                value /= 10
            }
            bytes.append(contentsOf: digits[start...])
        }
    }

    private static func base64URL(_ log: LogID) -> [UInt8] {
        // 128 bits are 21 characters of 6 bits and one of 2, written as its upper bits.
        return (0..<22).map { place in
            let shift = 122 - place * 6
            let bits: UInt64
            if shift >= 64 {
                bits = log.high >> UInt64(shift - 64)
            } else if shift >= 0 {
                bits = (log.low >> UInt64(shift)) | (log.high << UInt64(64 - shift))
            } else {
                bits = log.low << UInt64(-shift)
            }
            return alphabet[Int(bits & 63)]
        }
    }
}
