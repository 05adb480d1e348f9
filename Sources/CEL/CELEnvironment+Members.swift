/// The members of a variable in the text of an expression.
extension CELEnvironment {
    /// The members of a variable that an expression selects, each once, in their order:
    /// `context.total` and `context["total"]`.
    ///
    /// Those are left out for which the expression asks whether they are there, anywhere in it:
    /// `has(context.total)`, `"total" in context`, `context.?total` and `context[?"total"]`. An
    /// expression that gives a macro's variable the same name has none. Takes as long as its text,
    /// and reads what can be read of a text with a fault.
    package static func members(of variable: String, in expression: String) -> [String] {
        var tokens: [Token] = []
        var lexer = Lexer(expression)
        // What can't be read is a fault for those who compile it.
        while let token = try? lexer.next(), token.kind != .end { tokens.append(token) }
        let text = TokenText(tokens: tokens)
        var selected: [String] = []
        var asked: Set<String> = []
        for index in tokens.indices where tokens[index].kind == .identifier(variable) {
            guard !text.isMember(index) else { continue }
            if text.isMacroVariable(index) { return [] }
            if text.isKeyword("in", index - 1), let name = text.literal(index - 2) {
                asked.insert(name)
            }
            guard let (name, isAsked) = text.selection(after: index) else { continue }
            if isAsked { asked.insert(name) } else { selected.append(name) }
        }
        return selected.filter { asked.insert($0).inserted }
    }
}

/// The tokens of an expression, by their numbers; none has a number outside.
private struct TokenText {
    let tokens: [Token]

    private func kind(_ index: Int) -> Token.Kind {
        tokens.indices.contains(index) ? tokens[index].kind : .end
    }

    func mark(_ index: Int) -> String? {
        if case .mark(let mark) = kind(index) { mark } else { nil }
    }

    func isKeyword(_ word: String, _ index: Int) -> Bool { kind(index) == .keyword(word) }

    /// A literal text.
    func literal(_ index: Int) -> String? {
        guard kind(index) == .literal, case .string(let text) = tokens[index].value else {
            return nil
        }
        return text
    }

    private func name(_ index: Int) -> String? {
        switch kind(index) {
        case .identifier(let name), .reserved(let name), .quoted(let name): name
        default: nil
        }
    }

    /// Whether a name follows a point, also in `.?`.
    func isMember(_ index: Int) -> Bool {
        mark(index - 1) == "." || mark(index - 1) == "?" && mark(index - 2) == "."
    }

    /// Whether a name is a macro's variable: `list.map(name, …)`, `list.all(i, name, …)`.
    func isMacroVariable(_ index: Int) -> Bool {
        guard mark(index + 1) == "," else { return false }
        let open = mark(index - 1) == "," && name(index - 2) != nil ? index - 3 : index - 1
        return mark(open) == "(" && name(open - 1) != nil && mark(open - 2) == "."
    }

    /// The member that is selected of the variable at a place, and whether the expression asks if
    /// it is there. A function of that name is no member.
    func selection(after index: Int) -> (name: String, isAsked: Bool)? {
        let isOptional = mark(index + 2) == "?"
        let next = isOptional ? index + 3 : index + 2
        switch mark(index + 1) {
        case ".":
            guard let name = name(next), mark(next + 1) != "(" else { return nil }
            let isTest =
                mark(index - 1) == "(" && kind(index - 2) == .identifier("has")
                && mark(next + 1) == ")"
            return (name, isOptional || isTest)
        case "[":
            guard let name = literal(next), mark(next + 1) == "]" else { return nil }
            return (name, isOptional)
        default: return nil
        }
    }
}
