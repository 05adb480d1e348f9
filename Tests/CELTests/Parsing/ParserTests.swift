import Testing

@testable import CEL

struct ParserTests {
    /// The expression with all its parentheses.
    private func shape(_ text: String) throws -> String { Self.shape(try Parser.parse(text)) }

    private static func shape(_ expression: Expression) -> String {
        switch expression.kind {
        case .literal(.int(let value)): "\(value)"
        case .literal: "literal"
        case .name(let name): name
        case .select(let operand, let selection):
            shape(operand) + "." + (selection.style == .plain ? "" : "\(selection.style) ")
                + selection.field
        case .index(let operand, let index, let isOptional):
            "\(shape(operand))[\(isOptional ? "?" : "")\(shape(index))]"
        case .not(let operand): "!\(shape(operand))"
        case .negate(let operand): "-\(shape(operand))"
        case .binary(let found, let left, let right):
            "(\(shape(left)) \(found.rawValue) \(shape(right)))"
        case .and(let parts): "(\(parts.map(shape).joined(separator: " && ")))"
        case .or(let parts): "(\(parts.map(shape).joined(separator: " || ")))"
        case .conditional(let condition, let yes, let no):
            "(\(shape(condition)) ? \(shape(yes)) : \(shape(no)))"
        case .list(let elements): "[\(elements.map { shape($0.value) }.joined(separator: ", "))]"
        case .map(let entries):
            "{"
                + entries.map { shape($0.key) + ": " + shape($0.value.value) }
                .joined(separator: ", ") + "}"
        case .call(let name, let target, let arguments):
            (target.map { "\(shape($0))." } ?? "")
                + "\(name)(\(arguments.map(shape).joined(separator: ", ")))"
        case .comprehension(let comprehension): "\(comprehension.macro)\(comprehension.names)"
        }
    }

    @Test(arguments: [
        ("a + b * c - d", "((a + (b * c)) - d)"), ("a - b - c", "((a - b) - c)"),
        ("a || b && c == d", "(a || (b && (c == d)))"), ("a && b && c", "(a && b && c)"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"), ("!a.b", "!a.b"), ("-a[0]", "-a[0]"),
        ("-1.a", "-1.a"), ("!!a", "!!a"), ("!-a", "!-a"), ("a < b == c", "((a < b) == c)"),
        ("a in b", "(a in b)"), ("a.?b[?c]", "a.optional b[?c]"), ("has(a.b)", "a.test b"),
        ("f(a, b).g()", "f(a, b).g()"), (".a.b", ".a.b"), ("[a, b,]", "[a, b]"),
        ("{a: b,}", "{a: b}"),
        ("a.if", "a.if"), ("a.while()", "a.while()"), ("in('x')", "in(literal)"),
        ("a.`b.c`", "a.b.c"),
        ("(a)", "a"), ("a.map(x, x)", "map[\"x\"]"),
        ("a.exists_one(i, x, x)", "existsOne[\"i\", \"x\"]"),
        ("map(x, x)", "map(x, x)"), ("a.map(x)", "a.map(x)"),
    ])
    func `operators bind as the language says`(text: String, expected: String) throws {
        #expect(try shape(text) == expected)
    }

    @Test(arguments: [
        ("", 0, "is empty"), (" \n", 2, "is empty"), ("a b", 2, "'b' can't be here"),
        ("a +", 3, "the expression ends too early"), ("a and b", 2, "can't be here: write '&&'"),
        ("a or b", 2, "write '||'"), ("if (a) b", 0, "write 'condition ? this : that'"),
        ("(a", 2, "')' is missing"), ("[a b]", 3, "']' is missing"), ("{a}", 2, "':' is missing"),
        ("f(a,)", 4, "an argument is missing"), ("a.", 2, "the name of a member"),
        ("for", 0, "'for', a reserved word, can't be here"),
        ("a ? b", 5, "':' is missing"), (".1a", 0, "a number"), ("in", 2, "an operand is missing"),
        ("`a`", 0, "can only be a member's name"), ("has(a)", 4, "'has' needs a selection"),
        ("has(a.?b)", 5, "'has' needs a selection"),
        ("a.map(1, x)", 6, "needs the name of a variable"),
        ("a.all(x, x, x)", 9, "two different names"), ("a.in", 2, "the name of a member"),
        ("T{a: 1}", 1, "'{' can't be here"), (". 1", 2, "a name is missing"),
    ])
    func `a wrong text has its place`(text: String, offset: Int, message: String) {
        let error = fault(text)
        #expect(error?.kind == .syntax)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.offset == offset, "\(text): \(error?.offset ?? -1)")
    }

    @Test func `macros know the number of their names`() {
        #expect(Macro(name: "exists_one", arguments: 2) == .existsOne)
        #expect(Macro(name: "filter", arguments: 3) == nil)
        #expect(Macro.all.names(of: 3) == 2 && Macro.map.names(of: 3) == 1)
        #expect(Macro.transformMap.names(of: 4) == 2)
        #expect(BinaryOperator.multiply.level > BinaryOperator.add.level)
    }
}
