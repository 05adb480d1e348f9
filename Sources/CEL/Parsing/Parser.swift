/// Reads expressions by precedence climbing (Pratt), with a bound on levels and nodes.
struct Parser {
    private var lexer: Lexer
    private(set) var token: Token
    /// The levels of rules that are being read.
    private var depth = 0
    private var nodes = 0

    /// Reads a whole text.
    ///
    /// - Throws: ``SyntaxFault`` at the first fault.
    static func parse(_ text: String) throws(SyntaxFault) -> Expression {
        guard text.utf8.count <= CELLimits.sourceBytesMax else {
            throw .limit("the expression has more than \(CELLimits.sourceBytesMax) bytes", 0)
        }
        var lexer = Lexer(text)
        let first = try lexer.next()
        var parser = Parser(lexer: lexer, token: first)
        let expression = try parser.expression()
        guard parser.token.kind == .end else { throw parser.unexpected() }
        return expression
    }

    private init(lexer: Lexer, token: Token) {
        self.lexer = lexer
        self.token = token
    }

    // MARK: Tokens

    mutating func advance() throws(SyntaxFault) { token = try lexer.next() }

    func isAt(_ mark: String) -> Bool { token.kind == .mark(mark) }

    mutating func skip(_ mark: String) throws(SyntaxFault) -> Bool {
        guard isAt(mark) else { return false }
        try advance()
        return true
    }

    mutating func expect(_ mark: String) throws(SyntaxFault) {
        guard try skip(mark) else { throw unexpected("'\(mark)' is missing here") }
    }

    func unexpected(_ message: String? = nil) -> SyntaxFault {
        let found: String
        switch token.kind {
        case .identifier(let word), .keyword(let word): found = "'\(word)'"
        case .mark(let word): found = "'\(word)'"
        case .reserved(let word): found = "'\(word)', a reserved word"
        case .quoted(let word): found = "`\(word)`, which can only be a member's name"
        case .literal: found = "a literal"
        case .end: found = "the end"
        }
        guard let message else { return misplaced(found) }
        return SyntaxFault("\(message): found \(found)", token.offset)
    }

    /// The fault of a token that no rule allows here.
    private func misplaced(_ found: String) -> SyntaxFault {
        let text =
            switch token.kind {
            case .end where lexer.text.allSatisfy({ " \t\r\n".utf8.contains($0) }):
                "the expression is empty"
            case .end: "the expression ends too early"
            case .identifier("and"): "\(found) can't be here: write '&&'"
            case .identifier("or"): "\(found) can't be here: write '||'"
            case .reserved("if"): "\(found), can't be here: write 'condition ? this : that'"
            case .reserved: "\(found), can't be here"
            default: "\(found) can't be here"
            }
        return SyntaxFault(text, token.offset)
    }

    // MARK: Nodes

    /// A node; its operands are those that were just made.
    mutating func node(
        _ kind: Expression.Kind, _ offset: Int, _ operands: [Expression] = []
    ) throws(SyntaxFault) -> Expression {
        nodes += 1
        guard nodes <= CELLimits.nodesMax else {
            throw .limit("the expression has more than \(CELLimits.nodesMax) parts", offset)
        }
        let levels = operands.reduce(0) { max($0, $1.levels) } + 1
        guard levels <= CELLimits.levelsMax else {
            throw .limit("the expression has more than \(CELLimits.levelsMax) levels", offset)
        }
        return Expression(kind, offset, levels: levels)
    }

    private func tooNested(_ offset: Int) -> SyntaxFault {
        .limit("more than \(CELLimits.nestingMax) brackets are nested", offset)
    }

    // MARK: Rules

    /// `a ? b : c ? d : e`, or an operand of it.
    mutating func expression() throws(SyntaxFault) -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= CELLimits.nestingMax else { throw tooNested(token.offset) }
        var last = try disjunction()
        guard isAt("?") else { return last }
        // A row of conditions is read in a loop, so that it isn't nesting.
        var choices: [(condition: Expression, yes: Expression, offset: Int)] = []
        while isAt("?") {
            let offset = token.offset
            try advance()
            let yes = try disjunction()
            try expect(":")
            choices.append((last, yes, offset))
            last = try disjunction()
        }
        for (condition, yes, offset) in choices.reversed() {
            last = try node(
                .conditional(condition, yes, last), offset, [condition, yes, last])
        }
        return last
    }

    private mutating func disjunction() throws(SyntaxFault) -> Expression {
        let first = try conjunction()
        guard isAt("||") else { return first }
        let offset = token.offset
        var operands = [first]
        while try skip("||") { operands.append(try conjunction()) }
        return try node(.or(operands), offset, operands)
    }

    private mutating func conjunction() throws(SyntaxFault) -> Expression {
        let first = try binary(above: 0)
        guard isAt("&&") else { return first }
        let offset = token.offset
        var operands = [first]
        while try skip("&&") { operands.append(try binary(above: 0)) }
        return try node(.and(operands), offset, operands)
    }

    /// Operators that bind tighter than `level`.
    private mutating func binary(above level: Int) throws(SyntaxFault) -> Expression {
        var left = try unary()
        while let found = binaryOperator, found.level > level {
            let offset = token.offset
            try advance()
            let right = try binary(above: found.level)
            left = try node(.binary(found, left, right), offset, [left, right])
        }
        return left
    }

    private var binaryOperator: BinaryOperator? {
        switch token.kind {
        case .mark(let mark): BinaryOperator(rawValue: mark)
        case .keyword("in"): .contained
        default: nil
        }
    }

    /// `!` and `-`, as often as they are there.
    private mutating func unary() throws(SyntaxFault) -> Expression {
        let offset = token.offset
        let mark = isAt("!") ? "!" : "-"
        guard isAt(mark) else { return try member() }
        depth += 1
        defer { depth -= 1 }
        guard depth <= CELLimits.nestingMax else { throw tooNested(offset) }
        var count = 0
        while try skip(mark) { count += 1 }
        var operand: Expression
        if mark == "-", token.isSignedNumber {
            operand = try member(isNegative: true)
            count -= 1
        } else {
            operand = try isAt("!") || isAt("-") ? unary() : member()
        }
        for _ in 0..<count {
            operand = try node(mark == "!" ? .not(operand) : .negate(operand), offset, [operand])
        }
        return operand
    }
}
