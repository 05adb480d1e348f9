/// The calls of `in` in an expression's text.
enum InCall {
    /// Finds calls such as `in('busy')`.
    ///
    /// - Returns: Whether `in` may be called, also with a computed name; and the constant names.
    static func names(in text: String) -> (isCalled: Bool, constants: [String]) {
        guard text.mentions("in(") else {
            return (text.mentions("in") && text.mentions("("), [])
        }
        var constants: [String] = []
        var rest = text[...]
        while let range = rest.firstRange(of: "in(") {
            let before =
                range.lowerBound > text.startIndex
                ? text[text.index(before: range.lowerBound)] : " "
            rest = rest[range.upperBound...]
            guard !before.isLetter, !before.isNumber, before != "_", before != ".",
                let quote = rest.first, quote == "'" || quote == "\"",
                let end = rest.dropFirst().firstIndex(of: quote),
                rest[rest.index(after: end)...].first == ")"
            else { continue }
            let name = rest[rest.index(after: rest.startIndex)..<end]
            if !name.contains("\\") { constants.append(String(name)) }
        }
        return (true, constants)
    }
}
