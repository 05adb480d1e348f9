import Testing

@testable import CEL

struct CompilerTests {
    private let environment = CELEnvironment(
        variables: [.init("x", .map(.string, .dyn)), .init("y", .list(.int)), .init("s", .string)])

    private func root(_ text: String) throws -> Node {
        let code = try environment.compile(text, checksTypes: false).code
        return code.nodes[Int(code.root)]
    }

    @Test func `constant parts are computed when the expression is compiled`() throws {
        #expect(try environment.compile("[1 + 2, {'a': 'b' + 'c'}.a.size()]").constant == [3, 2])
        #expect(try environment.compile("timestamp(0) + duration('1s')").constant != nil)
        #expect(try environment.compile("true && 1 < 2 ? 'a' : 'b'").constant == "a")
        let code = try environment.compile("y[0] + (2 * 3 - 1)").code
        #expect(code.constants.contains { $0 == 5 })
    }

    @Test func `a constant part that fails, fails when it is reached`() throws {
        #expect(try root("1 / 0").opcode == .divide)
        #expect(try environment.compile("s == 'a' || 1 / 0 > 0").isTrue([[:], [], "a"]))
        #expect(fault("s == 'a' || 1 / 0 > 0", environment, values: [[:], [], "b"])?.offset == 14)
    }

    @Test func `a part that would be large isn't computed before`() throws {
        let text = "[" + String(repeating: "0,", count: 3_000) + "].map(x, x)"
        #expect(try environment.compile(text).constant == nil)
        #expect(try root("[1].map(x, x)").opcode == .comprehension)
    }

    @Test func `a member of a variable is one operation`() throws {
        #expect(try root("x.a").opcode == .variableField)
        #expect(try root("x.a.b").opcode == .field)
        #expect(try root("has(x.a)").opcode == .hasField)
        #expect(try root("x.?a").opcode == .optionalField)
        #expect(try root("nobody").opcode == .fault)
        #expect(MemoryLayout<Node>.size <= 20)
        #expect(MemoryLayout<CELValue>.size <= 24)
    }

    @Test func `variables of nested macros have places of their own`() throws {
        let code = try environment.compile("y.map(a, y.map(b, a + b).filter(c, c > a))").code
        #expect(code.locals == 2)
        let plans: [ComprehensionPlan] = code.comprehensions
        #expect(plans.map(\.local).sorted() == [0, 1, 1])
        #expect(plans.allSatisfy { !$0.hasTwo })
    }

    @Test func `a constant regular expression is compiled once`() throws {
        let code: Code = try environment.compile("s.matches('a+') || s.matches(s)").code
        #expect(code.patterns.compactMap { $0 }.count == 1)
        // A wrong one is a fault of the evaluation.
        #expect(fault("s.matches('(')", environment, values: [[:], [], ""])?.kind == .evaluation)
        let one = Compiler.compile(try Parser.parse("1"), environment)
        #expect(one.constants == [1] && one.nodes.count == 1)
    }
}
