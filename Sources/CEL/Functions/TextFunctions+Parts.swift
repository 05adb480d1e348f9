extension TextFunctions {
    /// `join`: the elements of a list with a separator between them.
    static func join(
        _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String {
        guard case .list(let elements) = arguments.first else { throw arguments.mismatch("join") }
        var separator = ""
        if arguments.count > 1 {
            guard case .string(let text) = arguments.second else {
                throw arguments.mismatch("join")
            }
            separator = text
        }
        var size = separator.utf8.count * max(0, elements.count - 1)
        var parts: [String] = []
        for element in elements {
            try budget.spend(steps: 1)
            guard case .string(let text) = element else {
                throw EvaluationFailure("'join' needs strings, and this is \(element.type.name)")
            }
            size += text.utf8.count
            parts.append(text)
        }
        try budget.make(text: size)
        return parts.joined(separator: separator)
    }

    /// The limit of `replace` and `split`, negative for none.
    private static func limit(
        _ count: Int, _ value: CELValue, _ arguments: Arguments, _ name: String
    ) throws(EvaluationFailure) -> Int {
        guard arguments.count > count else { return -1 }
        guard case .int(let limit) = value else { throw arguments.mismatch(name) }
        return Int(limit)
    }

    /// `replace`: up to a number of places; an empty part is before every code point and at the
    /// end.
    static func replace(
        _ text: String, _ part: String, _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String {
        guard case .string(let new) = arguments.third else { throw arguments.mismatch("replace") }
        let limit = try limit(3, arguments.fourth, arguments, "replace")
        let old = Array(part.utf8)
        let bytes = Array(text.utf8)
        let most = limit < 0 ? Int.max : limit
        try budget.spend(work: old.count)
        let places =
            old.isEmpty
            ? Array(boundaries(bytes).prefix(most))
            : TextSearch(old).places(in: bytes, limit: most)
        let (added, overflow) = places.count.multipliedReportingOverflow(by: new.utf8.count)
        guard !overflow else { throw .limit("a text is too long") }
        try budget.make(text: bytes.count + added - places.count * old.count)
        var result: [UInt8] = []
        var start = 0
        for place in places {
            result += bytes[start..<place]
            result += new.utf8
            start = place + old.count
        }
        result += bytes[start...]
        return String(decoding: result, as: UTF8.self)
    }

    /// The places before each code point, and the end.
    private static func boundaries(_ bytes: [UInt8]) -> [Int] {
        bytes.indices.filter { bytes[$0] & 0xC0 != 0x80 } + [bytes.count]
    }

    /// `split`: at most a number of parts, the last with the rest; an empty separator splits into
    /// code points.
    static func split(
        _ text: String, _ separator: String, _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> [CELValue] {
        let limit = try limit(2, arguments.third, arguments, "split")
        guard limit != 0 else { return [] }
        let wanted = Array(separator.utf8)
        let bytes = Array(text.utf8)
        let most = limit < 0 ? Int.max : limit - 1
        try budget.spend(work: wanted.count)
        let places =
            wanted.isEmpty
            ? Array(boundaries(bytes).dropFirst().dropLast().prefix(most))
            : TextSearch(wanted).places(in: bytes, limit: most)
        try budget.make(elements: places.count + 1)
        try budget.make(text: bytes.count)
        if wanted.isEmpty && bytes.isEmpty { return [] }
        var parts: [CELValue] = []
        var start = 0
        for place in places + [bytes.count] {
            parts.append(.string(String(decoding: bytes[start..<place], as: UTF8.self)))
            start = place + wanted.count
        }
        return parts
    }
}
