/// The names in an expression whose values differ from step to step.
enum UnsteadyName {
    /// Finds `now`, `rand` and `self.v`. One in a literal text counts as well.
    static func names(in text: String) -> Set<String> {
        var result: Set<String> = []
        for name in ["now", "rand"] where text.mentions(name) && isWord(name, in: text) {
            result.insert(name)
        }
        if text.mentions("self"), isWord("self", in: text, except: ["id", "machine", "address"]) {
            result.insert("self.v")
        }
        return result
    }

    /// Whether a name stands alone somewhere, and not only before these members.
    private static func isWord(
        _ name: String, in text: String, except members: Set<String> = []
    ) -> Bool {
        var last: Character = " "
        var rest = text[...]
        while let first = rest.first {
            let isStart = !isPart(last) && last != "."
            let word = rest.prefix(while: isPart)
            guard !word.isEmpty else {
                last = first
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(word.count)
            last = word.last ?? " "
            guard isStart, word == name else { continue }
            guard rest.first == ".", !members.isEmpty else { return true }
            if !members.contains(String(rest.dropFirst().prefix(while: isPart))) { return true }
        }
        return false
    }

    private static func isPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
