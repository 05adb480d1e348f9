extension Parser {
    /// Expands a call of a macro; nil if the call is a function's.
    ///
    /// - Throws: ``SyntaxFault`` if the arguments don't fit the macro.
    mutating func macro(
        _ name: String, target: Expression?, _ arguments: [Expression], _ offset: Int
    ) throws(SyntaxFault) -> Expression? {
        guard let target else {
            guard name == "has", arguments.count == 1 else { return nil }
            return try has(arguments[0], offset)
        }
        guard let macro = Macro(name: name, arguments: arguments.count) else { return nil }
        let count = macro.names(of: arguments.count)
        var names: [String] = []
        for argument in arguments.prefix(count) {
            guard case .name(let name) = argument.kind, !name.hasPrefix(".") else {
                // `optMap` and others could be functions too, but no name fits both.
                throw SyntaxFault("'\(macro)' needs the name of a variable here", argument.offset)
            }
            guard !names.contains(name) else {
                throw SyntaxFault("'\(macro)' needs two different names", argument.offset)
            }
            names.append(name)
        }
        let rest = Array(arguments.dropFirst(count))
        let condition = macro.isTest || rest.count == 2 ? rest[0] : nil
        return try node(
            .comprehension(
                Expression.Comprehension(
                    macro: macro, range: target, names: names, condition: condition,
                    result: macro.isTest ? nil : rest.last)),
            offset, rest + [target])
    }

    private mutating func has(
        _ argument: Expression, _ offset: Int
    ) throws(SyntaxFault) -> Expression {
        guard case .select(let operand, let selection) = argument.kind, selection.style == .plain
        else { throw SyntaxFault("'has' needs a selection such as has(a.b)", argument.offset) }
        let test = Expression.Selection(
            field: selection.field, style: .test, isQuoted: selection.isQuoted)
        return try node(.select(operand, test), offset, [operand])
    }
}
