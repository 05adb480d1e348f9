/// `format`: a text with the clauses `%s %d %f %e %b %o %x %X %%`, and a list of their values.
enum FormatText {
    static func format(
        _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String {
        guard case .string(let text) = arguments.first, case .list(let values) = arguments.second
        else { throw arguments.mismatch("format") }
        try budget.make(text: text.utf8.count)
        var result = ""
        var used = 0
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            if rest.first == "%" {
                rest.removeFirst()
                result += "%"
                continue
            }
            let digits = try precision(&rest)
            guard let clause = rest.popFirst() else {
                throw EvaluationFailure("'format' has a '%' without a clause")
            }
            guard used < values.count else {
                throw EvaluationFailure("'format' has more clauses than \(values.count) values")
            }
            let part = try formatted(values[used], clause, digits, &budget)
            try budget.make(text: part.utf8.count)
            result += part
            used += 1
            guard result.utf8.count <= budget.limits.textBytes else {
                throw .limit("a text has more than \(budget.limits.textBytes) bytes")
            }
        }
        return result
    }

    /// Reads `.3`; nil without it.
    private static func precision(
        _ rest: inout Substring.UnicodeScalarView
    ) throws(EvaluationFailure) -> Int? {
        guard rest.first == "." else { return nil }
        rest.removeFirst()
        let digits = rest.prefix { "0"..."9" ~= $0 }
        rest = rest.dropFirst(digits.count)
        guard let count = Int(String(digits)), count <= CELLimits.formatDigitsMax else {
            throw EvaluationFailure(
                "'format' needs 0 to \(CELLimits.formatDigitsMax) digits after the point")
        }
        return count
    }

    private static func formatted(
        _ value: CELValue, _ clause: Unicode.Scalar, _ digits: Int?, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String {
        switch (clause, value) {
        case ("s", _): return try string(value, &budget)
        case ("d", .int(let value)): return "\(value)"
        case ("d", .uint(let value)): return "\(value)"
        case ("d", .double(let value)): return NumberText.plain(value)
        case ("f", _), ("e", _):
            guard let number = value.number else { break }
            // Up to 1,400 digits are computed, in time that grows with the square of the exponent.
            if number.isFinite, number != 0 {
                try budget.spend(steps: 2 + Int(number.exponent.magnitude) / 8)
            }
            let digits = digits ?? 6
            return clause == "f"
                ? NumberText.fixed(number, digits: digits)
                : NumberText.scientific(number, digits: digits)
        case ("b", .bool(let value)): return value ? "1" : "0"
        case ("b", .int(let value)): return String(value, radix: 2)
        case ("b", .uint(let value)): return String(value, radix: 2)
        case ("o", .int(let value)): return String(value, radix: 8)
        case ("o", .uint(let value)): return String(value, radix: 8)
        case ("x", _), ("X", _):
            guard let text = try hexadecimal(value, isUpper: clause == "X", &budget) else { break }
            return text
        default: break
        }
        guard "sdfebxXo".unicodeScalars.contains(clause) else {
            throw EvaluationFailure("'format' has no clause '%\(clause)'")
        }
        throw EvaluationFailure("'%\(clause)' can't be applied to \(value.type.name)")
    }

    private static func hexadecimal(
        _ value: CELValue, isUpper: Bool, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String? {
        let bytes: [UInt8]
        switch value {
        case .int(let value): return String(value, radix: 16, uppercase: isUpper)
        case .uint(let value): return String(value, radix: 16, uppercase: isUpper)
        case .string(let text): bytes = Array(text.utf8)
        case .bytes(let value): bytes = value
        default: return nil
        }
        try budget.make(text: bytes.count * 2)
        return bytes.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: isUpper)
        }.joined()
    }

    /// `%s`: any value, with lists and maps written out, and the entries of maps by their keys.
    private static func string(
        _ value: CELValue, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String {
        try budget.spend(steps: 1)
        switch value {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .uint(let value): return "\(value)"
        case .double(let value): return NumberText.plain(value)
        case .string(let text): return text
        case .bytes(let bytes):
            try budget.make(text: bytes.count)
            return text(of: bytes)
        case .timestamp(let value): return value.description
        case .duration(let value): return value.description
        case .type(let type): return type.name
        case .list(let elements):
            var parts: [String] = []
            for element in elements { parts.append(try string(element, &budget)) }
            try budget.make(text: parts.reduce(2) { $0 + $1.utf8.count + 2 })
            return "[" + parts.joined(separator: ", ") + "]"
        case .map(let map):
            var entries: [(key: String, value: String)] = []
            for entry in map.entries {
                entries.append((entry.key.text, try string(entry.value, &budget)))
            }
            try budget.make(
                text: entries.reduce(2) { $0 + $1.key.utf8.count + $1.value.utf8.count + 4 })
            entries.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            let parts = entries.map { "\($0.key): \($0.value)" }
            return "{" + parts.joined(separator: ", ") + "}"
        case .optional: throw EvaluationFailure("'%s' can't be applied to optional_type")
        }
    }

    /// Bytes as UTF-8, with one U+FFFD in the place of all wrong ones in a row, as cel-go writes
    /// them.
    private static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        var isWrong = false
        while true {
            switch decoder.decode(&rest) {
            case .scalarValue(let scalar):
                text.append(scalar)
                isWrong = false
            case .error:
                if !isWrong { text.append("\u{FFFD}") }
                isWrong = true
            case .emptyInput: return String(text)
            }
        }
    }
}
