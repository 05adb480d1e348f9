/// The functions of text, which count code points.
enum TextFunctions {
    static func call(
        _ function: BuiltIn, _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> CELValue {
        if function == .join { return .string(try join(arguments, &budget)) }
        guard case .string(let text) = arguments.first else {
            throw arguments.mismatch("\(function)")
        }
        try budget.spend(work: text.utf8.count)
        switch (function, arguments.second) {
        case (.lowerAscii, _): return .string(try mapped(text, &budget, lowered))
        case (.upperAscii, _): return .string(try mapped(text, &budget, raised))
        case (.reverse, _):
            try budget.make(text: text.utf8.count)
            return .string(string(text.unicodeScalars.reversed()))
        case (.trim, _): return .string(try trimmed(text, &budget))
        case (.quote, _): return .string(try quoted(text, &budget))
        case (.contains, .string(let part)): return .bool(try contains(text, part, &budget))
        case (.startsWith, .string(let part)):
            return .bool(text.utf8.starts(with: part.utf8))
        case (.endsWith, .string(let part)):
            return .bool(text.utf8.reversed().starts(with: part.utf8.reversed()))
        case (.charAt, .int(let index)): return .string(try character(text, index))
        case (.indexOf, .string(let part)), (.lastIndexOf, .string(let part)):
            try budget.spend(work: part.utf8.count)
            return .int(try position(function, text, part, arguments))
        case (.replace, .string(let part)):
            return .string(try replace(text, part, arguments, &budget))
        case (.split, .string(let separator)):
            return .list(try split(text, separator, arguments, &budget))
        case (.substring, .int(let start)):
            return .string(try substring(text, start, arguments, &budget))
        default: throw arguments.mismatch("\(function)")
        }
    }

    private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        0x41...0x5A ~= byte ? byte | 0x20 : byte
    }

    private static func raised(_ byte: UInt8) -> UInt8 {
        0x61...0x7A ~= byte ? byte & ~0x20 : byte
    }

    /// Changes ASCII letters, which are no part of other code points' UTF-8.
    private static func mapped(
        _ text: String, _ budget: inout Budget, _ change: (UInt8) -> UInt8
    ) throws(EvaluationFailure) -> String {
        try budget.make(text: text.utf8.count)
        return String(decoding: text.utf8.map(change), as: UTF8.self)
    }

    private static func trimmed(
        _ text: String, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String {
        try budget.make(text: text.utf8.count)
        let scalars = text.unicodeScalars.drop(while: \.properties.isWhitespace)
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { string(scalars[...$0]) } ?? ""
    }

    private static func quoted(
        _ text: String, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String {
        try budget.make(text: text.utf8.count * 2 + 2)
        return CELValue.literal(text)
    }

    private static func contains(
        _ text: String, _ part: String, _ budget: inout Budget
    ) throws(EvaluationFailure) -> Bool {
        try budget.spend(work: part.utf8.count)
        guard !part.isEmpty else { return true }
        return TextSearch(Array(part.utf8)).first(in: Array(text.utf8)) != nil
    }

    private static func character(
        _ text: String, _ index: Int64
    ) throws(EvaluationFailure) -> String {
        let scalars = Array(text.unicodeScalars)
        guard 0...Int64(scalars.count) ~= index else { throw outside(index) }
        return index == scalars.count ? "" : String(scalars[Int(index)])
    }

    private static func outside(_ index: Int64) -> EvaluationFailure {
        EvaluationFailure("the index \(index) is outside of the text")
    }

    private static func position(
        _ function: BuiltIn, _ text: String, _ part: String, _ arguments: Arguments
    ) throws(EvaluationFailure) -> Int64 {
        let scalars = Array(text.unicodeScalars)
        let wanted = Array(part.unicodeScalars)
        var start: Int64?
        if arguments.count > 2 {
            guard case .int(let index) = arguments.third else {
                throw arguments.mismatch("\(function)")
            }
            guard !wanted.isEmpty else { return index }
            guard 0..<Int64(scalars.count) ~= index else { throw outside(index) }
            start = index
        }
        if function == .indexOf {
            guard !wanted.isEmpty else { return 0 }
            return Int64(TextSearch(wanted).first(in: scalars, from: Int(start ?? 0)) ?? -1)
        }
        guard !wanted.isEmpty else { return Int64(scalars.count) }
        // The last place is the first one of the reversed text.
        let end = min(scalars.count, Int(start ?? Int64(scalars.count)) + wanted.count)
        let reversed = Array(scalars[..<end].reversed())
        guard let place = TextSearch(wanted.reversed()).first(in: reversed) else { return -1 }
        return Int64(end - place - wanted.count)
    }

    private static func substring(
        _ text: String, _ start: Int64, _ arguments: Arguments, _ budget: inout Budget
    ) throws(EvaluationFailure) -> String {
        let scalars = Array(text.unicodeScalars)
        var end = Int64(scalars.count)
        if arguments.count > 2 {
            guard case .int(let index) = arguments.third else {
                throw arguments.mismatch("substring")
            }
            end = index
        }
        guard 0...Int64(scalars.count) ~= start else { throw outside(start) }
        guard start...Int64(max(start, Int64(scalars.count))) ~= end else { throw outside(end) }
        try budget.make(text: text.utf8.count)
        return string(scalars[Int(start)..<Int(end)])
    }
}
