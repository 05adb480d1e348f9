import CEL
import OrderedJSON

/// Values as they are kept in states and events: only what JSON can say, so that an instance that
/// is stored and restored continues with the same values.
enum ContextValue {
    /// The reason why a value can't be kept.
    struct Fault: Error {
        let message: String
    }

    /// The greatest integer that is exact in JSON (RFC 7493 section 2.2).
    private static let integers: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991

    /// Converts a value: times, bytes and types to text, `uint` to `int`, keys to text, an optional
    /// to its value or `null`.
    ///
    /// - Returns: The value, and its bytes as JSON, counted roughly and at least as many.
    /// - Throws: ``Fault`` for a number that JSON can't say, or too many levels.
    static func normalized(_ value: CELValue) throws(Fault) -> (CELValue, bytes: Int) {
        try normalized(value, level: 0)
    }

    private static func normalized(
        _ value: CELValue, level: Int
    ) throws(Fault) -> (CELValue, bytes: Int) {
        switch value {
        case .null, .bool: return (value, 5)
        case .int(let number):
            guard integers.contains(number) else { throw inexact("\(number)") }
            return (value, 17)
        case .uint(let number):
            guard let small = Int64(exactly: number), integers.contains(small) else {
                throw inexact("\(number)")
            }
            return (.int(small), 17)
        case .double(let number):
            guard number.isFinite else { throw Fault(message: "JSON can't say \(number)") }
            return (value, 24)
        case .string(let text): return (value, bytes(text))
        case .list(let elements): return try list(elements, level)
        case .map(let map): return try normalized(map, level)
        case .bytes, .timestamp, .duration, .type:
            guard let text = value.json?.string else {
                throw Fault(message: "\(value.type.name) can't be kept")
            }
            return (.string(text), text.utf8.count + 2)
        case .optional(let wrapped):
            return try normalized(wrapped ?? .null, level: level)
        }
    }

    private static func list(
        _ elements: [CELValue], _ level: Int
    ) throws(Fault) -> (CELValue, bytes: Int) {
        try check(level)
        var total = 2
        var changed: [CELValue]?
        for (index, element) in elements.enumerated() {
            let (value, bytes) = try normalized(element, level: level + 1)
            total += bytes + 1
            if changed == nil, !isSame(element, value) { changed = elements }
            changed?[index] = value
        }
        return (.list(changed ?? elements), total)
    }

    private static func normalized(
        _ map: CELMap, _ level: Int
    ) throws(Fault) -> (CELValue, bytes: Int) {
        try check(level)
        var total = 2
        var isChanged = false
        var result = CELMap()
        for entry in map.entries {
            let key = text(of: entry.key)
            let (value, bytes) = try normalized(entry.value, level: level + 1)
            total += bytes + Self.bytes(key) + 2
            if case .string = entry.key.value {} else { isChanged = true }
            if !isSame(entry.value, value) { isChanged = true }
            result[CELKey(key)] = value
        }
        return (.map(isChanged ? result : map), total)
    }

    /// Whether a value was left as it is: one without contents, or of the same kind.
    private static func isSame(_ one: CELValue, _ other: CELValue) -> Bool {
        switch (one, other) {
        case (.null, .null), (.bool, .bool), (.int, .int), (.double, .double),
            (.string, .string):
            true
        default: false
        }
    }

    private static func check(_ level: Int) throws(Fault) {
        guard level < ChartLimits.valueLevelsMax else {
            throw Fault(message: "a value may be nested \(ChartLimits.valueLevelsMax) deep")
        }
    }

    private static func inexact(_ number: String) -> Fault {
        Fault(message: "the integer \(number) isn't exact in JSON")
    }

    /// A key as a member's name.
    static func text(of key: CELKey) -> String {
        if case .string(let text) = key.value { return text }
        return (CELValue.list([key.value]).json?[0]?.description) ?? ""
    }

    private static func bytes(_ text: String) -> Int {
        // Escapes make a byte six at most; they are rare, and counted in full.
        var count = text.utf8.count + 2
        for byte in text.utf8 where byte < 0x20 || byte == 0x22 || byte == 0x5C { count += 5 }
        return count
    }

    /// At least as much as ``measure(_:)-(CELMap)``, without a look at the texts.
    static func bound(_ map: CELMap) -> Int {
        var total = 2
        for entry in map.entries {
            total += 6 * text(of: entry.key).utf8.count + 4 + bound(entry.value)
        }
        return total
    }

    private static func bound(_ value: CELValue) -> Int {
        switch value {
        case .string(let text): return 6 * text.utf8.count + 2
        case .list(let elements):
            var total = 2
            for element in elements { total += bound(element) + 1 }
            return total
        case .map(let map): return bound(map)
        default: return 17
        }
    }

    /// The bytes of a normalized value as JSON, counted roughly.
    static func measure(_ map: CELMap) -> Int {
        map.entries.reduce(2) { $0 + bytes(text(of: $1.key)) + 2 + measure($1.value) }
    }

    static func measure(_ value: CELValue) -> Int {
        switch value {
        case .string(let text): bytes(text)
        case .list(let elements): elements.reduce(2) { $0 + measure($1) + 1 }
        case .map(let map): measure(map)
        default: 17
        }
    }

    /// A delay as a value: milliseconds as a number, a duration, or a text with units.
    ///
    /// - Returns: Milliseconds, or nil for another value.
    static func milliseconds(_ value: CELValue) -> Int64? {
        switch value {
        case .int(let number): ChartDelay.milliseconds(Double(number))
        case .uint(let number): ChartDelay.milliseconds(Double(number))
        case .double(let number): ChartDelay.milliseconds(number)
        case .duration(let duration):
            ChartDelay.milliseconds(Double(duration.nanoseconds) / 1_000_000)
        case .string(let text): ChartDelay.milliseconds(text)
        default: nil
        }
    }

    // MARK: JSON

    /// Writes a normalized value.
    static func write(_ value: CELValue, _ writer: inout JSONWriter) {
        switch value {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        case .string(let value): writer.string(value)
        case .list(let elements):
            writer.literal("[")
            for element in elements {
                writer.comma()
                write(element, &writer)
            }
            writer.literal("]")
        case .map(let map): write(map, &writer)
        default: writer.value(value.json ?? .null)
        }
    }

    /// Writes a map of normalized values.
    static func write(_ map: CELMap, _ writer: inout JSONWriter) {
        writer.literal("{")
        for entry in map.entries {
            writer.comma()
            writer.string(text(of: entry.key))
            writer.literal(":")
            write(entry.value, &writer)
        }
        writer.literal("}")
    }
}
