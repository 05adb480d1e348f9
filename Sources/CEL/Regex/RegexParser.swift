/// Reads the syntax of RE2, without what decides which match is found: captures and greed are
/// read, and don't count, because the question is only whether there is a match.
struct RegexParser {
    private struct Flags {
        var ignoresCase = false
        var isMultiline = false
        var dotMatchesNewline = false
    }

    var rest: Substring.UnicodeScalarView
    private var flags = Flags()
    private var levels = 0
    /// The names of the groups so far.
    private var names: Set<String> = []

    /// Reads a whole text.
    ///
    /// - Throws: ``RegexFault`` at the first fault, and for groups nested too deeply.
    static func parse(_ text: String) throws(RegexFault) -> RegexNode {
        var parser = RegexParser(rest: text.unicodeScalars[...])
        let node = try parser.alternatives()
        guard parser.rest.isEmpty else { throw RegexFault("a ')' has no '('") }
        return node
    }

    private init(rest: Substring.UnicodeScalarView) { self.rest = rest }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func alternatives() throws(RegexFault) -> RegexNode {
        levels += 1
        defer { levels -= 1 }
        guard levels <= CELLimits.regexLevelsMax else {
            throw RegexFault("more than \(CELLimits.regexLevelsMax) groups are nested")
        }
        // Flags that are set within a group end with it.
        let outer = flags
        defer { flags = outer }
        var branches = [try sequence()]
        while skip("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(RegexFault) -> RegexNode {
        var parts: [RegexNode] = []
        var isRepeated = false
        while let next = rest.first, next != "|", next != ")" {
            if let (low, high) = try repetition() {
                guard !isRepeated else {
                    throw RegexFault("a repetition is repeated without a group")
                }
                // Flags and `\Q\E` are no parts: the one before them is repeated.
                guard let part = parts.popLast() else {
                    throw RegexFault("a repetition has nothing to repeat")
                }
                _ = skip("?")
                parts.append(.repetition(part, low, high))
                isRepeated = true
                continue
            }
            let count = parts.count
            if rest.starts(with: "\\Q".unicodeScalars) {
                rest = rest.dropFirst(2)
                parts += quoted()
            } else if let part = try atom() {
                parts.append(part)
            }
            if parts.count > count { isRepeated = false }
        }
        if parts.isEmpty { return .empty }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repetition() throws(RegexFault) -> (Int, Int?)? {
        if skip("*") { return (0, nil) }
        if skip("+") { return (1, nil) }
        if skip("?") { return (0, 1) }
        // A brace that is no count is itself.
        let before = rest
        guard skip("{"), let low = number() else {
            rest = before
            return nil
        }
        var high: Int? = low
        if skip(",") { high = rest.first == "}" ? nil : number() ?? -1 }
        guard skip("}"), high != -1 else {
            rest = before
            return nil
        }
        guard max(low, high ?? 0) <= CELLimits.regexRepeatMax, low <= high ?? low else {
            throw RegexFault("a count is wrong, or above \(CELLimits.regexRepeatMax)")
        }
        return (low, high)
    }

    private mutating func number() -> Int? {
        let digits = rest.prefix { "0"..."9" ~= $0 }
        guard 1...9 ~= digits.count else { return nil }
        rest = rest.dropFirst(digits.count)
        return Int(String(digits))
    }

    /// Reads what a repetition would repeat; nil for flags that hold for what follows.
    private mutating func atom() throws(RegexFault) -> RegexNode? {
        guard let scalar = rest.popFirst() else { return .empty }
        switch scalar {
        case ".": return .set(flags.dotMatchesNewline ? .any : .anyButNewline)
        case "^": return .assertion(flags.isMultiline ? .lineStart : .textStart)
        case "$": return .assertion(flags.isMultiline ? .lineEnd : .textEnd)
        case "(": return try group()
        case "[": return .set(cased(try characterClass()))
        case "\\": return try escape()
        default: return .set(cased(ScalarSet(scalar)))
        }
    }

    private func cased(_ set: ScalarSet) -> ScalarSet {
        var set = set
        set.ignoresCase = flags.ignoresCase
        return set
    }

    private mutating func group() throws(RegexFault) -> RegexNode? {
        let outer = flags
        if skip("?") {
            if skip("P") || rest.first == "<" {
                guard skip("<"), let end = rest.firstIndex(of: ">"), end > rest.startIndex,
                    rest[..<end].allSatisfy(Self.isNamePart)
                else { throw RegexFault("the name of a group is wrong") }
                guard names.insert(String(rest[..<end])).inserted else {
                    throw RegexFault("the name of a group is there twice")
                }
                rest = rest[rest.index(after: end)...]
            } else if try setFlags() {
                return nil
            }
        }
        let node = try alternatives()
        flags = outer
        guard skip(")") else { throw RegexFault("a '(' has no ')'") }
        return node
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || "0"..."9" ~= scalar || scalar.properties.isAlphabetic
    }

    /// Reads `i`, `m`, `s`, `U`, with `-` before those that end.
    ///
    /// - Returns: Whether that was all, and the flags hold for what follows.
    private mutating func setFlags() throws(RegexFault) -> Bool {
        var changed = flags
        var isOn = true
        var before: Unicode.Scalar?
        while let scalar = rest.popFirst() {
            defer { before = scalar }
            switch scalar {
            // `-` has flags after it.
            case ")" where before == "-", ":" where before == "-":
                throw RegexFault("a '-' has no flags")
            case "i": changed.ignoresCase = isOn
            case "m": changed.isMultiline = isOn
            case "s": changed.dotMatchesNewline = isOn
            case "U": break
            case "-" where isOn: isOn = false
            case ")":
                flags = changed
                return true
            case ":":
                flags = changed
                return false
            default: throw RegexFault("a group can't begin with '(?\(scalar)'")
            }
        }
        throw RegexFault("a '(' has no ')'")
    }

    private mutating func escape() throws(RegexFault) -> RegexNode {
        guard let scalar = rest.first else { throw RegexFault("a '\\' is at the end") }
        let assertions: [Unicode.Scalar: RegexNode.Assertion] = [
            "A": .textStart, "z": .textEnd, "b": .wordBoundary, "B": .noWordBoundary,
        ]
        if let assertion = assertions[scalar] {
            rest.removeFirst()
            return .assertion(assertion)
        }
        if let parts = try classEscape() { return .set(cased(ScalarSet(parts))) }
        return .set(cased(ScalarSet(try scalarEscape())))
    }

    /// Reads the text up to `\E` literally.
    private mutating func quoted() -> [RegexNode] {
        var parts: [RegexNode] = []
        while let scalar = rest.popFirst() {
            if scalar == "\\", rest.first == "E" {
                rest.removeFirst()
                break
            }
            parts.append(.set(cased(ScalarSet(scalar))))
        }
        return parts
    }
}
