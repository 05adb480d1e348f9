extension Parser {
    /// An operand and what follows it: members, indexes, calls.
    ///
    /// - Parameter isNegative: Whether a minus sign before the number is part of it.
    mutating func member(isNegative: Bool = false) throws(SyntaxFault) -> Expression {
        var operand = try primary(isNegative)
        while true {
            let offset = token.offset
            if try skip(".") {
                operand = try selection(of: operand, offset)
            } else if try skip("[") {
                let isOptional = try skip("?")
                let index = try expression()
                try expect("]")
                operand = try node(
                    .index(operand, index, isOptional: isOptional), offset, [operand, index])
            } else {
                return operand
            }
        }
    }

    private mutating func selection(
        of operand: Expression, _ offset: Int
    ) throws(SyntaxFault) -> Expression {
        let isOptional = try skip("?")
        let place = token.offset
        let name: String
        var isQuoted = false
        switch token.kind {
        case .identifier(let word), .reserved(let word): name = word
        case .quoted(let word):
            name = word
            isQuoted = true
        default: throw unexpected("the name of a member is missing")
        }
        try advance()
        if !isOptional, !isQuoted, isAt("(") {
            return try call(name, target: operand, place)
        }
        let selection = Expression.Selection(
            field: name, style: isOptional ? .optional : .plain, isQuoted: isQuoted)
        return try node(.select(operand, selection), offset, [operand])
    }

    private mutating func primary(_ isNegative: Bool) throws(SyntaxFault) -> Expression {
        let offset = token.offset
        switch token.kind {
        case .literal, .keyword("true"), .keyword("false"), .keyword("null"):
            let value = try literal(isNegative)
            try advance()
            return try node(.literal(value), offset)
        case .identifier(let name):
            try advance()
            if isAt("(") { return try call(name, target: nil, offset) }
            return try node(.name(name), offset)
        case .keyword("in"):
            // `in` can't begin an operand, but a function of the host may have this name.
            try advance()
            guard isAt("(") else { throw unexpected("an operand is missing before 'in'") }
            return try call("in", target: nil, offset)
        case .mark("."):
            try advance()
            guard case .identifier(let name) = token.kind else {
                throw unexpected("a name is missing after '.'")
            }
            try advance()
            if isAt("(") { return try call("." + name, target: nil, offset) }
            return try node(.name("." + name), offset)
        case .mark("("):
            try advance()
            let inner = try expression()
            try expect(")")
            return inner
        case .mark("["): return try list()
        case .mark("{"): return try map()
        default: throw unexpected()
        }
    }

    private func literal(_ isNegative: Bool) throws(SyntaxFault) -> CELValue {
        switch token.value {
        case .int(let value): return .int(isNegative ? -value : value)
        case .double(let value): return .double(isNegative ? -value : value)
        case .uint(let value) where value == 1 << 63 && !token.isUnsigned:
            guard isNegative else {
                throw SyntaxFault("\(token.number) is out of the range of int", token.offset)
            }
            return .int(.min)
        default: return token.value
        }
    }

    private mutating func list() throws(SyntaxFault) -> Expression {
        let offset = token.offset
        try advance()
        var elements: [Expression.Element] = []
        while !isAt("]") {
            let isOptional = try skip("?")
            elements.append(Expression.Element(value: try expression(), isOptional: isOptional))
            guard try skip(",") else { break }
        }
        try expect("]")
        return try node(.list(elements), offset, elements.map(\.value))
    }

    private mutating func map() throws(SyntaxFault) -> Expression {
        let offset = token.offset
        try advance()
        var entries: [Expression.Entry] = []
        while !isAt("}") {
            let isOptional = try skip("?")
            let key = try expression()
            try expect(":")
            let value = Expression.Element(value: try expression(), isOptional: isOptional)
            entries.append(Expression.Entry(key: key, value: value))
            guard try skip(",") else { break }
        }
        try expect("}")
        return try node(
            .map(entries), offset, entries.flatMap { [$0.key, $0.value.value] })
    }

    /// A call after its name: of a macro, or a function.
    private mutating func call(
        _ name: String, target: Expression?, _ offset: Int
    ) throws(SyntaxFault) -> Expression {
        try expect("(")
        var arguments: [Expression] = []
        while !isAt(")") {
            arguments.append(try expression())
            guard try skip(",") else { break }
            if isAt(")") { throw unexpected("an argument is missing") }
        }
        try expect(")")
        if let macro = try macro(name, target: target, arguments, offset) { return macro }
        return try node(
            .call(name, target: target, arguments), offset, arguments + (target.map { [$0] } ?? []))
    }
}
