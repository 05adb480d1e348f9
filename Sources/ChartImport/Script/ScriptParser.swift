/// Parses the part of ECMAScript that CEL can say.
struct ScriptParser {
    private let tokens: [ScriptToken]
    private var position = 0
    private var level = 0
    /// The blocks that are open.
    private var blocks = 0
    /// The operators and accesses of the present expression, which may be within each other.
    private var links = 0

    /// Parses one expression.
    static func expression(_ bytes: [UInt8]) throws(ScriptFault) -> ScriptExpression {
        var parser = ScriptParser(tokens: try ScriptLexer.tokens(bytes))
        let result = try parser.expression()
        guard parser.token.kind == .end else { throw parser.unexpected() }
        return result
    }

    /// Parses a script.
    static func statements(_ bytes: [UInt8]) throws(ScriptFault) -> [ScriptStatement] {
        var parser = ScriptParser(tokens: try ScriptLexer.tokens(bytes))
        var result: [ScriptStatement] = []
        while parser.token.kind != .end { result += try parser.statement() }
        return result
    }

    private init(tokens: [ScriptToken]) { self.tokens = tokens }

    private var token: ScriptToken { tokens[position] }

    private mutating func advance() { position = min(position + 1, tokens.count - 1) }

    private mutating func accept(_ mark: String) -> Bool {
        guard token.kind == .mark(mark) else { return false }
        advance()
        return true
    }

    private mutating func expect(_ mark: String) throws(ScriptFault) {
        guard !accept(mark) else { return }
        if let foreign = foreignMark { throw foreign }
        throw fault("'\(mark)' is expected here")
    }

    private func fault(_ message: String) -> ScriptFault {
        ScriptFault(kind: .syntax, index: token.index, message: message)
    }

    private func unsupported(_ message: String) -> ScriptFault {
        ScriptFault(kind: .unsupported, index: token.index, message: message)
    }

    /// Operators of ECMAScript without a counterpart.
    private static let foreign: Set<String> = [
        "&", "|", "^", "~", "<<", ">>", ">>>", "**", "??", "?.", "=>", "...", "++", "--", "=",
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", "**=", ",",
    ]

    /// The fault of an operator without a counterpart, if there is one here.
    private var foreignMark: ScriptFault? {
        guard case .mark(let mark) = token.kind, Self.foreign.contains(mark) else { return nil }
        return unsupported("'\(mark)' can't be said in an expression of CEL")
    }

    private func unexpected() -> ScriptFault {
        if let foreign = foreignMark { return foreign }
        return fault(
            token.kind == .end
                ? "the expression isn't complete" : "this has no meaning here")
    }

    private mutating func link() throws(ScriptFault) {
        links += 1
        guard links <= ImportLimits.scriptLinksMax else {
            throw unsupported("an expression may have \(ImportLimits.scriptLinksMax) operators")
        }
    }

    private mutating func nested<T>(
        _ read: (inout ScriptParser) throws(ScriptFault) -> T
    ) throws(ScriptFault) -> T {
        level += 1
        defer { level -= 1 }
        guard level <= ImportLimits.scriptLevelsMax else {
            throw unsupported("expressions may be nested \(ImportLimits.scriptLevelsMax) deep")
        }
        return try read(&self)
    }

    // MARK: Statements

    private mutating func statement() throws(ScriptFault) -> [ScriptStatement] {
        links = 0
        return try nested { (parser) throws(ScriptFault) in try parser.plainStatement() }
    }

    private mutating func plainStatement() throws(ScriptFault) -> [ScriptStatement] {
        if accept(";") { return [] }
        if token.kind == .mark("{") { return try block() }
        switch token.kind {
        case .word("var"), .word("let"), .word("const"): return try declarations()
        case .word("if"): return [try branch()]
        case .word(let word) where Self.statementWords.contains(word):
            throw unsupported("'\(word)' has no counterpart: a script assigns, or decides with if")
        default: break
        }
        let result = try assignment()
        try endStatement()
        return [result]
    }

    private static let statementWords: Set<String> = [
        "function", "for", "while", "do", "return", "throw", "try", "switch", "class", "break",
        "continue", "import", "export", "async", "with", "delete", "debugger",
    ]

    private mutating func endStatement() throws(ScriptFault) {
        if accept(";") || token.kind == .end || token.kind == .mark("}") || token.startsLine {
            return
        }
        throw unexpected()
    }

    private mutating func block() throws(ScriptFault) -> [ScriptStatement] {
        guard accept("{") else { return try statement() }
        blocks += 1
        defer { blocks -= 1 }
        var result: [ScriptStatement] = []
        while token.kind != .mark("}") {
            guard token.kind != .end else { throw fault("'}' is missing") }
            result += try statement()
        }
        advance()
        return result
    }

    private mutating func declarations() throws(ScriptFault) -> [ScriptStatement] {
        let isVar = token.kind == .word("var")
        let isInner = blocks > 0 && !isVar
        advance()
        var result: [ScriptStatement] = []
        repeat {
            let index = token.index
            guard case .word(let name) = token.kind else {
                throw unsupported("a declaration names a variable")
            }
            advance()
            let place = ScriptExpression(node: .name(name), index: index)
            if accept("=") {
                result.append(
                    .assign(place, try expression(), isInner ? .block : .script))
            } else {
                // `var x` changes no value that there is.
                let value = ScriptExpression(node: .undefined, index: index)
                result.append(
                    isVar ? .declare(name) : .assign(place, value, isInner ? .block : .script))
            }
        } while accept(",")
        try endStatement()
        return result
    }

    private mutating func branch() throws(ScriptFault) -> ScriptStatement {
        advance()
        try expect("(")
        let condition = try expression()
        try expect(")")
        let then = try block()
        guard token.kind == .word("else") else { return .branch(condition, then, []) }
        advance()
        return .branch(condition, then, try block())
    }

    private mutating func assignment() throws(ScriptFault) -> ScriptStatement {
        let start = token.index
        if token.kind == .mark("++") || token.kind == .mark("--") {
            let mark = token.kind == .mark("++") ? "+" : "-"
            advance()
            let place = try postfix()
            return .assign(place, step(place, mark, start), nil)
        }
        let place = try expression()
        if case .call(let function, let arguments) = place.node,
            case .member(let list, "push") = function.node, arguments.count == 1
        {
            let added = ScriptExpression(node: .array(arguments), index: place.index)
            let value = ScriptExpression(node: .binary("[+]", list, added), index: place.index)
            return .assign(list, value, nil)
        }
        guard case .mark(let mark) = token.kind else {
            throw ScriptFault(
                kind: .unsupported, index: start,
                message: "a script assigns: other statements have no counterpart")
        }
        let index = token.index
        switch mark {
        case "=":
            advance()
            return .assign(place, try expression(), nil)
        case "++", "--":
            advance()
            return .assign(place, step(place, String(mark.prefix(1)), index), nil)
        case "+=", "-=", "*=", "/=", "%=":
            advance()
            let value = try expression()
            let sum = ScriptExpression(
                node: .binary(String(mark.prefix(1)), place, value), index: index)
            return .assign(place, sum, nil)
        default:
            throw ScriptFault(
                kind: .unsupported, index: start,
                message: "a script assigns: other statements have no counterpart")
        }
    }

    private func step(
        _ place: ScriptExpression, _ mark: String, _ index: Int
    ) -> ScriptExpression {
        let one = ScriptExpression(node: .number(1), index: index)
        return ScriptExpression(node: .binary(mark, place, one), index: index)
    }

    // MARK: Expressions

    private mutating func expression() throws(ScriptFault) -> ScriptExpression {
        try nested { (parser) throws(ScriptFault) in try parser.conditional() }
    }

    private mutating func conditional() throws(ScriptFault) -> ScriptExpression {
        let condition = try binary(0)
        let index = token.index
        guard accept("?") else { return condition }
        let one = try expression()
        try expect(":")
        let other = try expression()
        return ScriptExpression(node: .conditional(condition, one, other), index: index)
    }

    /// The binary operators, loosest first.
    private static let levels: [Set<String>] = [
        ["||"], ["&&"], ["==", "!=", "===", "!=="], ["<", "<=", ">", ">=", "in", "instanceof"],
        ["+", "-"], ["*", "/", "%"],
    ]

    private var operatorText: String? {
        switch token.kind {
        case .mark(let mark): mark
        case .word(let word): word
        default: nil
        }
    }

    private mutating func binary(_ depth: Int) throws(ScriptFault) -> ScriptExpression {
        guard depth < Self.levels.count else { return try unary() }
        var left = try binary(depth + 1)
        while let text = operatorText, Self.levels[depth].contains(text) {
            let index = token.index
            try link()
            advance()
            let right = try binary(depth + 1)
            left = ScriptExpression(node: .binary(text, left, right), index: index)
        }
        return left
    }

    private mutating func unary() throws(ScriptFault) -> ScriptExpression {
        let index = token.index
        guard let text = operatorText, ["!", "-", "+", "typeof", "void"].contains(text) else {
            return try postfix()
        }
        advance()
        let operand = try nested { (parser) throws(ScriptFault) in try parser.unary() }
        return ScriptExpression(node: .unary(text, operand), index: index)
    }

    private mutating func postfix() throws(ScriptFault) -> ScriptExpression {
        var result = try primary()
        while true {
            let index = token.index
            try link()
            if accept(".") {
                guard case .word(let name) = token.kind else { throw fault("a name is missing") }
                advance()
                result = ScriptExpression(node: .member(result, name), index: index)
            } else if accept("[") {
                let inner = try expression()
                try expect("]")
                result = ScriptExpression(node: .element(result, inner), index: index)
            } else if accept("(") {
                result = ScriptExpression(
                    node: .call(result, try list(until: ")")), index: index)
            } else {
                return result
            }
        }
    }

    private mutating func list(until end: String) throws(ScriptFault) -> [ScriptExpression] {
        var result: [ScriptExpression] = []
        while !accept(end) {
            if !result.isEmpty {
                try expect(",")
                if accept(end) { break }
            }
            result.append(try expression())
        }
        return result
    }

    private mutating func primary() throws(ScriptFault) -> ScriptExpression {
        let index = token.index
        func node(_ node: ScriptExpression.Node) -> ScriptExpression {
            ScriptExpression(node: node, index: index)
        }
        switch token.kind {
        case .number(let value):
            advance()
            return node(.number(value))
        case .string(let text):
            advance()
            return node(.string(text))
        case .word(let word): return node(try self.word(word))
        case .mark("("):
            advance()
            let inner = try expression()
            try expect(")")
            return inner
        case .mark("["):
            advance()
            return node(.array(try list(until: "]")))
        case .mark("{"): return node(.object(try members()))
        case .mark("/"): throw unsupported("regular expressions have no counterpart")
        default: throw unexpected()
        }
    }

    private mutating func word(_ word: String) throws(ScriptFault) -> ScriptExpression.Node {
        switch word {
        case "function", "new", "class", "this", "async", "await", "yield", "delete":
            throw unsupported("'\(word)' has no counterpart in CEL")
        case "return", "var", "let", "const", "if", "else", "for", "while", "do", "in",
            "instanceof", "switch", "case", "throw", "try", "catch", "break", "continue",
            "default", "with", "import", "export", "enum", "extends", "super", "finally":
            throw fault("'\(word)' is no value")
        default: break
        }
        advance()
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "undefined": return .undefined
        default: return .name(word)
        }
    }

    private mutating func members() throws(ScriptFault)
        -> [(name: String, value: ScriptExpression)]
    {
        advance()
        var result: [(name: String, value: ScriptExpression)] = []
        while !accept("}") {
            if !result.isEmpty {
                try expect(",")
                if accept("}") { break }
            }
            let index = token.index
            let name: String
            switch token.kind {
            case .word(let word): name = word
            case .string(let text): name = text
            case .number(let value):
                name = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
            case .mark("["): throw unsupported("a member has a constant name in CEL")
            default: throw unexpected()
            }
            guard !result.contains(where: { $0.name == name }) else {
                throw unsupported("the member '\(name)' is repeated")
            }
            advance()
            if accept(":") {
                result.append((name, try expression()))
            } else if token.kind == .mark(",") || token.kind == .mark("}") {
                result.append((name, ScriptExpression(node: .name(name), index: index)))
            } else if token.kind == .mark("(") {
                throw unsupported("functions have no counterpart in CEL")
            } else {
                throw unexpected()
            }
        }
        return result
    }
}
