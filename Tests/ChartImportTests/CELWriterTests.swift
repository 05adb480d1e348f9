import Testing

@testable import ChartImport

struct CELWriterTests {
    private var scope: ScriptScope {
        var scope = ScriptScope()
        scope.names = ["i", "x", "list", "_own", "n", "s", "b", "l", "m"]
        scope.kinds = ["n": .integer, "s": .string, "b": .bool, "l": .list, "m": .map]
        scope.states = ["b1.1": "b1_1", "a": "a"]
        return scope
    }

    private func cel(_ text: String, data: ScriptScope.EventData = .members) -> String {
        var scope = scope
        scope.eventData = data
        var writer = CELWriter(scope)
        do throws(ScriptFault) {
            return try writer.value(ScriptParser.expression(Array(text.utf8))).text
        } catch {
            return "\(error.kind) \(error.index): \(error.message)"
        }
    }

    @Test(
        arguments: [
            ("1", "1"), ("1.5", "1.5"), (".5", "0.5"), ("0x1F", "31"), ("1e3", "1000"),
            ("'a\\'b\\n\\u00e9'", "'a\\'b\\né'"), ("\"'\"", "'\\''"), ("null", "null"),
            ("undefined", "null"), ("true", "true"), ("[1, x,]", "[1, context.x]"),
            ("{a: 1, 'b c': x, 3: i}", "{'a': 1, 'b c': context.x, '3': context.i}"),
            ("i + 1", "context.i + 1"), ("i === 100", "context.i == 100"),
            ("b && !b || b", "context.b && !context.b || context.b"),
            ("(i + 1) * 2", "(context.i + 1) * 2"), ("i - (1 - 2)", "context.i - (1 - 2)"),
            ("-(i + 1)", "-(context.i + 1)"), ("!(b && b)", "!context.b || !context.b"),
            ("(x == 1) == (i < 2)", "context.x == 1 == (context.i < 2)"),
            ("b ? 1 : n ? 2 : 3", "context.b ? 1 : context.n != 0 ? 2 : 3"),
            ("i / 2", "double(context.i) / 2"), ("n % 2", "context.n % 2"),
            ("x.y[0]['z w'].q", "context.x.y[0]['z w'].q"), ("x['in']", "context.x['in']"),
            ("x[i]", "context.x[context.i]"), ("list.length", "size(context.list)"),
            ("'n' + n", "'n' + string(context.n)"),
            ("i + 'n' + 1", "'%s'.format([context.i]) + 'n' + string(1)"),
            ("_event.name", "event.type"), ("_event.data.a.b", "event.a.b"),
            ("_event.data[0]", "event.value[0]"), ("_event.origin", "meta.origin"),
            ("_event.data['a b']", "event['a b']"), ("_event.type", "meta.kind"),
            ("_event.sendid + _event.invokeid", "meta.send + meta.invoke"),
            ("_sessionid", "self.address"), ("_name", "self.machine"), ("_own", "context._own"),
            ("_ioprocessors['scxml'].location", "self.address"),
            ("_ioprocessors", "{'scxml': {'location': self.address}}"),
            ("In('b1.1') && In('z')", "in('b1_1') && in('z')"), ("In(x)", "in(context.x)"),
            ("'done.state.b1.1'", "'done.state.b1_1'"),
            ("typeof x === 'undefined'", "context.x == null"),
            ("typeof nothing !== 'undefined'", "!true"),
            ("typeof _event.data.a == 'undefined'", "!has(event.a)"),
            ("typeof x == 'number'", "type(context.x) == int || type(context.x) == double"),
            ("Math.pow(i, 3)", "context.i * context.i * context.i"),
            ("Math.floor(i)", "math.floor(double(context.i))"),
            ("Math.max(i, 2)", "math.greatest(context.i, 2)"), ("Math.random()", "rand"),
            (
                "[].concat(list, [i])",
                "(type(context.list) == list ? context.list : [context.list]) + [context.i]"
            ),
            ("x instanceof Array", "type(context.x) == list"),
            ("x.toUpperCase()", "context.x.upperAscii()"), ("String(n)", "string(context.n)"),
            ("'#_scxml_' + _sessionid", "self.address"),
            ("'#_' + x", "'child:' + string(context.x)"),
            (
                "_event.origintype == 'http://www.w3.org/TR/scxml/#SCXMLEventProcessor'",
                "meta.via == 'machine'"
            ),
            ("/* a */ 1 // b", "1"),
        ])
    func `an expression is said in CEL`(script: String, expected: String) {
        #expect(cel(script) == expected)
    }

    @Test func `the data of done events and errors are members`() {
        #expect(cel("_event.data", data: .member("output")) == "event.output")
        #expect(cel("_event.data.a", data: .member("output")) == "event.output.a")
    }

    @Test func `the data of events of several kinds are looked for`() {
        let place = "(event.type.startsWith('done.') && has(event.output) ? event.output : event)"
        #expect(cel("_event.data.a", data: .either(["output"])) == "\(place).a")
        #expect(
            cel("_event.data.a === undefined", data: .either(["output"])) == "!has(\(place).a)")
    }

    @Test func `the whole data are an object, a value or nothing`() {
        #expect(
            cel("_event.data")
                == "has(event.value) && size(event) == 2 ? event.value : size(event) > 1 "
                + "? event.transformMap(k, v, k != 'type', v) : null")
        #expect(cel("_event.data === undefined") == "size(event) == 1")
        #expect(cel("_event.data != 7") == "event.?value.orValue(null) != 7")
    }

    @Test(
        arguments: [
            ("x || n", "!(context.x in [null, false, 0, '']) ? context.x : context.n"),
            ("n && s", "context.n != 0 ? context.s : context.n"),
            ("!x", "context.x in [null, false, 0, '']"), ("!n", "context.n == 0"),
            ("m.b === undefined", "!has(context.m.b)"),
            ("typeof m.b === 'undefined'", "!has(context.m.b)"),
            ("m.b == null", "context.m.?b.orValue(null) == null"),
            ("l[3] === undefined", "!context.l[?3].hasValue()"),
            ("m.b != 1", "context.m.?b.orValue(null) != 1"), ("typeof null === 'object'", "true"),
            ("0 in l", "0 < size(context.l)"), ("'a' in m", "'a' in context.m"),
            ("Math.round(n)", "math.floor(double(context.n) + 0.5)"),
            ("i % 2", "context.i - 2 * math.trunc(double(context.i) / double(2))"),
            (
                "s.substring(3, 1)",
                "context.s.substring(math.least(1, size(context.s)), "
                    + "math.least(3, size(context.s)))"
            ),
            ("s[0]", "0 < size(context.s) ? context.s.charAt(0) : ''"),
            ("l.join()", "context.l.map(v, v == null ? '' : '%s'.format([v])).join(',')"),
            ("n == '1'", "context.n == 1"), ("x == '1'", "context.x in ['1', 1, true]"),
            ("b == 1", "(context.b ? 1 : 0) == 1"), ("'x' + null", "'x' + 'null'"),
            ("b + 1", "(context.b ? 1 : 0) + 1"), ("4e12 * 4e12", "1.6e+25"),
            ("l.indexOf(2)", "2 in context.l ? context.l.transformList(i, v, v == 2, i)[0] : -1"),
        ] as [(String, String)])
    func `values mean what they mean in ECMAScript`(script: String, expected: String) {
        #expect(cel(script) == expected)
    }

    @Test(
        arguments: [
            ("x == 1", "'==' compares as"), ("x + 1", "'+' fails here"),
            ("x < 1", "'<' and the like"),
            ("x - 1", "arithmetic fails"), ("'a' + x", "as a text"),
            ("l == [1]", "lists and objects"),
            ("n * n", "a product"), ("x === undefined", "null and undefined"),
            ("typeof x === 'object'", "'typeof' of null"), ("s.toUpperCase()", "'toUpperCase'"),
            ("x.length", "the 'length'"), ("+s", "a text that is no number"),
        ] as [(String, String)])
    func `what may differ is noted`(script: String, start: String) throws {
        var writer = CELWriter(scope)
        _ = try writer.value(ScriptParser.expression(Array(script.utf8)))
        #expect(writer.notes.count == 1)
        #expect(writer.notes.first?.message.hasPrefix(start) == true, "\(writer.notes)")
    }

    @Test(
        arguments: [
            ("function() {}", "unsupported 0"), ("new Date()", "unsupported 0"),
            ("x = 1", "unsupported 2"), ("x, i", "unsupported 1"), ("x & 1", "unsupported 2"),
            ("/a/.test(x)", "unsupported 0"), ("`a`", "unsupported 0"),
            ("JSON.stringify(x)", "unsupported 4"), ("x.map(i)", "unsupported 1"),
            ("_x", "unsupported 0"), ("_event.raw", "unsupported 6"),
            ("_event.data.type", "unsupported 11"), ("typeof x", "unsupported 0"),
            ("Math.sin(x)", "unsupported 8"), ("{p1: 'v1'", "syntax 9"), ("return", "syntax 0"),
            ("i +", "syntax 3"), ("'a", "syntax 0"), ("#", "syntax 0"), ("1 2", "syntax 2"),
            ("x y", "syntax 2"), ("", "syntax 0"), ("(x & 1) == 1", "unsupported 3"),
            ("[x | 1]", "unsupported 3"), ("String(x << 1)", "unsupported 9"),
            ("x[i ^ 1]", "unsupported 4"), ("{a: x ** 2}", "unsupported 6"),
            ("{a: 1, ...x}", "unsupported 7"), ("In(x => 1)", "unsupported 5"),
            ("(x = 1)", "unsupported 3"), ("010", "unsupported 0"), ("10n", "unsupported 0"),
        ])
    func `what can't be said has its place`(script: String, expected: String) {
        #expect(cel(script).hasPrefix(expected), "\(cel(script))")
    }

    @Test func `undeclared names and members of nothing are noted`() throws {
        var writer = CELWriter(scope)
        let text = try writer.value(ScriptParser.expression(Array("gone + null.a".utf8))).text
        #expect(text == "context.gone + 1 / 0")
        #expect(writer.notes.filter { !$0.isGeneral }.map(\.index) == [0, 11])
    }

    @Test(arguments: [
        ("1", "true"), ("0", "false"), ("'foo'", "true"), ("''", "false"), ("null", "false"),
        ("[]", "true"), ("b", "context.b"), ("'a' + n", "'a' + string(context.n) != ''"),
        ("n", "context.n != 0"), ("s", "context.s != ''"), ("l", "true"),
        ("x", "!(context.x in [null, false, 0, ''])"),
        ("n / 2", "math.abs(double(context.n) / 2) > 0"),
        ("_event.data.a", "!(event.?a.orValue(null) in [null, false, 0, ''])"),
        ("!_event.sendid", "meta.send in [null, false, 0, '']"),
    ])
    func `conditions have truth values`(script: String, expected: String) throws {
        var writer = CELWriter(scope)
        let parsed: ScriptExpression = try ScriptParser.expression(Array(script.utf8))
        #expect(try writer.truth(parsed).text == expected)
    }

    @Test func `places of assignments are paths in the context`() throws {
        func place(_ text: String) throws -> String {
            var writer = CELWriter(scope)
            return try writer.place(ScriptParser.expression(Array(text.utf8)))
        }
        #expect(try place("x.y[0]['a b']") == "x.y[0][\"a b\"]")
        #expect(try place("_event.name") == "event.name")
        #expect(try place("_sessionid") == "self")
        #expect(throws: ScriptFault.self) { try place("x[i]") }
        #expect(throws: ScriptFault.self) { try place("1") }
    }

    @Test func `deep, long and growing expressions are refused`() {
        let deep = String(repeating: "(", count: 10_000)
        #expect(cel(deep).contains("nested 64 deep"))
        let long = Array(repeating: "x", count: 1_000).joined(separator: " + ")
        #expect(cel(long).contains("400 operators"))
        let power = (0..<8).reduce("x") { text, _ in "Math.pow(\(text), 8)" }
        #expect(cel(power).contains("no counterpart"))
        #expect(cel(String(repeating: "x", count: 70_000)).contains("65536 bytes"))
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["(_ === undefined).b", "(_ == n)", "((_ == n) || n)", "(_ || s)[0]", "(n % _)"])
    func `nested operands aren't written again and again`(step: String) {
        let text = (0..<30).reduce("x") { text, _ in step.replacing("_", with: text) }
        #expect(cel(text).utf8.count <= ImportLimits.scriptBytesMax)
    }

    @Test func `texts of CEL are quoted and bound`() {
        #expect(CELText.literal("a'\\\u{1}") == "'a\\'\\\\\\u0001'")
        #expect(CELText(text: "a + b", binding: .sum).within(.product) == "(a + b)")
        #expect(CELText.access("while") == "['while']")
    }
}
