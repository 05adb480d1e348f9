import OrderedJSON
import Testing

@testable import ChartImport

struct ScriptParserTests {
    /// The assignments of a script as `place = value` of the parts' names and constants.
    private func script(_ text: String) throws -> [String] {
        try ScriptParser.statements(Array(text.utf8)).map(line)
    }

    private func line(_ statement: ScriptStatement) throws -> String {
        var scope = ScriptScope()
        scope.names = ["x", "y", "list"]
        var writer = CELWriter(scope)
        switch statement {
        case .assign(let place, let value, let reach):
            let text = try writer.value(value).text
            let word = reach.map { $0 == .block ? "let " : "var " } ?? ""
            return "\(word)\(try writer.place(place)) = \(text)"
        case .declare(let name): return "var \(name)"
        case .branch(let condition, let then, let other):
            let parts = try [then, other].map { try $0.map(line).joined(separator: "; ") }
            return "if \(try writer.truth(condition).text) {\(parts[0])} else {\(parts[1])}"
        }
    }

    @Test func `assignments of all kinds are read`() throws {
        let text = """
            x = 100; y = x // the same
            x += 2; x++; --y
            var z, w = 3;
            list.push(x);
            if (x > 1) { let y = 1 } else if (x) y = 2; else { }
            """
        #expect(
            try script(text) == [
                "x = 100", "y = context.x", "x = context.x + 2", "x = context.x + 1",
                "y = context.y - 1", "var z", "var w = 3",
                "list = context.list + [context.x]",
                "if context.x > 1 {let y = 1} else "
                    + "{if !(context.x in [null, false, 0, '']) {y = 2} else {}}",
            ])
    }

    @Test(arguments: [
        "while (x) {}", "function f() {}", "f(x)", "x", "x <<= 1", "{ x = 1", "x = 1 y = 2",
        "var [a] = b", "if (x { }",
    ])
    func `other statements are refused`(text: String) {
        #expect(throws: ScriptFault.self) { try script(text) }
    }

    @Test func `constants have their values`() throws {
        func constant(_ text: String) throws -> JSONValue? {
            try ScriptParser.expression(Array(text.utf8)).constant
        }
        #expect(
            try constant("{a: [1, -2.5, 'b', true, null]}")?.description
                == #"{"a":[1,-2.5,"b",true,null]}"#)
        #expect(try constant("[1, x]") == nil)
        #expect(try constant("1 + 1") == nil)
    }

    @Test func `tokens know their places and lines`() throws {
        let tokens = try ScriptLexer.tokens(Array("a\n /* b */ >>>= 'c'".utf8))
        #expect(tokens.map(\.index) == [0, 11, 16, 19])
        #expect(tokens.map(\.startsLine) == [false, true, false, false])
        #expect(tokens[1].kind == ScriptToken.Kind.mark(">>>="))
    }
}
