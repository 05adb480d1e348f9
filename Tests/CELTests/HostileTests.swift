import Testing

@testable import CEL

/// Expressions made to break what reads and evaluates them: each has a clear end.
struct HostileTests {
    @Test func `several evaluations share their steps`() throws {
        let program = try CELEnvironment(variables: [.init("x", .int)]).compile("x + 1 > 2")
        var left = 12
        _ = try program.evaluate([.int(1)], host: nil, stepsLeft: &left)
        #expect(left == 7)
        _ = try program.evaluate([.int(1)], host: nil, stepsLeft: &left)
        #expect(left == 2)
        let error = #expect(throws: CELError.self) {
            try program.evaluate([.int(1)], host: nil, stepsLeft: &left)
        }
        #expect(error?.kind == .limit)
        #expect(left == 0)
    }

    @Test(arguments: [
        ("(", "1", ")"), ("[", "1", "]"), ("{1: ", "1", "}"), ("int(", "1", ")"), ("!", "true", ""),
        ("- -", "x", ""), ("!-", "x", ""), ("", "x", ".x"), ("", "x", "[0]"), ("1 + ", "1", ""),
        ("true ? 1 : ", "1", ""), ("", "[1]", ".map(x, [x])"), ("[1].map(x, ", "x", ")"),
        ("has(x.a) ? 1 : ", "1", ""), ("", "optional.of(1)", ".optMap(x, [x])"),
        ("true || (", "true", ")"), ("", "x", ".?a"), ("{'a': ", "1", "}.a"),
    ])
    func `nesting has a bound, and what is within it works`(
        open: String, core: String, close: String
    ) {
        let environment = CELEnvironment(variables: [.init("x", .dyn)])
        for count in [20, 62, 66, 120, 249, 251, 2_000, 6_000] {
            let text =
                String(repeating: open, count: count) + core
                + String(repeating: close, count: count)
            let error = fault(text, environment, values: [[:]])
            if count > 251 {
                #expect(error != nil, "\(count) \(open)\(close)")
                #expect(error?.kind == .limit, "\(count) \(open)\(close): \(error?.message ?? "")")
            } else {
                // Values that don't fit are a fault of the evaluation, and end nothing.
                #expect(error.map { "\($0)".utf8.count < 10_000 } ?? true)
            }
        }
    }

    @Test func `long rows of operators have a bound, those of conditions none`() throws {
        let sum = Array(repeating: "1", count: 240).joined(separator: " + ")
        #expect(try value(sum) == 240)
        let tooLong = Array(repeating: "1", count: 300).joined(separator: " + ")
        #expect(fault(tooLong)?.kind == .limit)
        let choices = String(repeating: "false ? 1 : ", count: 200) + "2"
        #expect(try value(choices) == 2)
        #expect(fault(String(repeating: "false ? 1 : ", count: 300) + "2")?.kind == .limit)
        let conditions = Array(repeating: "true", count: 5_000).joined(separator: " && ")
        #expect(try value(conditions) == true)
    }

    @Test func `nested macros reach the bound of steps`() {
        let list = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
        var text = "a + b + c + d + e + f + g + h > 100"
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            text = "\(list).all(\(name), \(text))"
        }
        let error = fault(text)
        // The first element decides with `all`, so `exists` is the hostile one.
        #expect(error == nil)
        let exists = fault(text.replacing(".all(", with: ".exists("))
        #expect(exists?.kind == .limit)
        #expect(exists?.message == "the expression needs more than 10000 steps")
        #expect(fault(text.replacing(".all(", with: ".map("))?.kind == .limit)
    }

    @Test func `a bound is never made up for`() {
        let list = "[" + Array(repeating: "0", count: 100).joined(separator: ",") + "]"
        let endless = "\(list).exists(a, \(list).exists(b, \(list).exists(c, a + b + c > 0)))"
        for text in ["\(endless) || true", "!(\(endless) && false)", "[1].exists(x, \(endless))"] {
            #expect(fault(text)?.kind == .limit, "\(text.prefix(20))")
        }
    }

    @Test func `texts and lists can't be doubled without end`() {
        let environment = CELEnvironment(variables: [.init("x", .dyn)])
        var text = "x"
        for _ in 0..<40 { text = "[\(text)].map(y, y + y)[0]" }
        for start: CELValue in ["abcdefgh", [1, 2, 3, 4], .bytes([1, 2, 3, 4])] {
            let error = fault(text, environment, values: [start])
            #expect(error?.kind == .limit, "\(error?.message ?? "")")
        }
    }

    @Test func `a small value that stands for a huge one is refused as a result`() {
        var text = "optional.of([0])"
        for _ in 0..<60 { text += ".optMap(x, [x, x])" }
        #expect(fault(text)?.message == "the result has more than 65536 bytes")
        let compared = fault("\(text) == \(text)")
        #expect(compared?.kind == .limit)
        #expect(fault("'%s'.format(\(text.dropFirst("optional.of(".count - 1)).value()])") != nil)
        #expect(fault("'%s'.format([\(text).value()])")?.kind == .limit)
        #expect(fault("[\(text).value()].map(x, string(x == x))")?.kind == .limit)
    }

    @Test func `the levels of a result have a bound`() throws {
        let environment = CELEnvironment(variables: [.init("x", .dyn)])
        var nested: CELValue = 1
        for _ in 0..<63 { nested = .list([nested]) }
        #expect(fault("[x]", environment, values: [nested]) == nil)
        let wraps = ["[[x]]", "{'a': [x]}", "optional.of([x])", "[x].map(y, [y])"]
        for wrapped in wraps {
            let error = fault(wrapped, environment, values: [nested])
            #expect(error?.message == "the result has more than 64 levels", "\(wrapped)")
        }
        #expect(fault("[[x]][0][0] == x", environment, values: [nested]) == nil)
    }

    @Test func `one step is never much work`() {
        let environment = CELEnvironment(variables: [
            .init("long", .string), .init("m", .dyn), .init("r", .string), .init("l", .dyn),
        ])
        let long = CELValue.string(String(repeating: "a", count: 65_536))
        var keyed = CELMap()
        keyed[CELKey(long) ?? CELKey("")] = 1
        let numbers = CELValue.list((0..<20).map { .int($0) })
        func endless(_ condition: String, _ regex: String = "") -> Bool {
            let values: [CELValue] = [long, .map(keyed), .string(regex), numbers]
            let error = fault("l.exists(e, \(condition))", environment, values: values)
            return error?.kind == .limit && error?.message.contains("10000 steps") == true
        }
        // Each of 20 evaluations reads 64 KiB, or compiles or follows thousands of instructions.
        #expect(endless("!(long in m)"))
        #expect(endless("m[long] == 2"))
        #expect(endless("{long: 1} == dyn(2)"))
        #expect(endless("m == {'a': 1} || m != m"))
        #expect(endless("''.matches(r)", "((b{70}){70})"))
        #expect(endless("''.matches(r)", "((((){1000}){1000}){1000})"))
        #expect(endless("''.matches(long)", ""))
        let tiny = CELValue.double(.leastNonzeroMagnitude)
        func steps(_ expression: String, _ most: Int) -> Bool {
            fault(
                expression, environment, values: ["", tiny], limits: CELLimits(steps: most)) == nil
        }
        let followed = "long.matches('((b?){70}){30}c')"
        #expect(!steps(followed, 100) && steps(followed, 500))
        #expect(!steps("'%.0f'.format([m])", 100) && steps("'%.0f'.format([m])", 500))
    }

    @Test func `limits below 0 are 0`() throws {
        let environment = CELEnvironment(variables: [.init("x", .dyn)])
        let program = try environment.compile("[x]")
        for limits in [
            CELLimits(steps: .min), CELLimits(totalBytes: .min), CELLimits(resultBytes: .min),
            CELLimits(elements: .min),
        ] {
            #expect(throws: CELError.self) { try program.evaluate([1], limits: limits) }
        }
    }

    @Test func `constant regular expressions have a bound in total`() throws {
        let one = "s.matches('((a{70}){70})')"
        let text = Array(repeating: one, count: 40).joined(separator: " || ")
        let environment = CELEnvironment(variables: [.init("s", .string)])
        let program = try environment.compile(text)
        #expect(1..<20 ~= program.code.patterns.count { $0 != nil })
        // The others are compiled when they are reached.
        let limits = CELLimits(steps: 10_000_000)
        #expect(try program.evaluate(["a"], limits: limits) == false)
    }

    @Test func `functions that make text have its bound`() {
        let long = "'" + String(repeating: "a", count: 30_000) + "'"
        for text in [
            "\(long).replace('a', 'bbbb')", "\(long).replace('', 'bbbb')",
            "[\(long), \(long), \(long)].join()",
            "'%s%s%s'.format([\(long), \(long), \(long)])", "'%x%x'.format([\(long), \(long)])",
            "strings.quote(\(long)) + strings.quote(\(long)) + \(long)", "\(long).split('')",
            "base64.encode(bytes(\(long) + \(long)))",
        ] {
            #expect(fault(text)?.kind == .limit, "\(text.suffix(40))")
        }
        #expect(fault("'%.1001f'.format([1.0])")?.kind == .evaluation)
        #expect(fault("'%.99999999999999999999f'.format([1.0])")?.kind == .evaluation)
    }

    @Test func `numbers at their ends are errors, not traps`() {
        let least = "-9223372036854775808"
        for text in [
            "\(least) / -1", "\(least) % -1", "-(\(least))", "\(least) - 1", "math.abs(\(least))",
            "0u - 1u", "18446744073709551615u + 1u", "int(18446744073709551615u)", "int(1e19)",
            "int(0.0 / 0.0)", "uint(-1.0)", "uint(0.0 / 0.0)", "1 / 0", "1u % 0u",
            "duration('9223372036s') + duration('1s')", "duration('99999999999999999999h')",
            "timestamp(253402300800)", "timestamp(253402300799) + duration('1s')",
            "timestamp(\(least))", "[1][\(least)]", "'a'.charAt(\(least))",
            "'a'.substring(\(least), 1)", "'a'.substring(0, 9223372036854775807)",
            "'a'.indexOf('a', 9223372036854775807)", "'a'.lastIndexOf('a', \(least))",
            "math.bitShiftLeft(1, \(least))", "[1][dyn(18446744073709551615u)]", "[1][dyn(1e300)]",
        ] {
            #expect(fault(text)?.kind == .evaluation, "\(text)")
        }
        for text in [
            "9223372036854775808", "18446744073709551616u", "1e400", "0x10000000000000000",
            String(repeating: "9", count: 10_000), "0x" + String(repeating: "f", count: 10_000),
        ] {
            #expect(fault(text)?.kind == .syntax, "\(text.prefix(30))")
        }
        #expect(fault("'a'.split('a', \(least))") == nil)
        #expect(fault("'a'.replace('a', 'b', \(least))") == nil)
        #expect(fault("math.bitShiftRight(1, 9223372036854775807)") == nil)
    }

    @Test func `regular expressions can't be made slow or large`() {
        let environment = CELEnvironment(variables: [.init("s", .string), .init("r", .string)])
        func matching(_ pattern: String, _ text: String) -> CELError? {
            fault("s.matches(r)", environment, values: [.string(text), .string(pattern)])
        }
        let text = String(repeating: "a", count: 5_000)
        // Exponential for an engine that tries one alternative after the other.
        #expect(matching("^(a+)+$", text + "b") == nil)
        #expect(matching("(a*)*b", text) == nil)
        #expect(
            matching("(((((a?){1000}){1000}){1000}){1000})", "a")?.message.contains("5000") == true)
        #expect(matching("((((){1000}){1000}){1000})", "a")?.message.contains("5000") == true)
        #expect(matching(String(repeating: "(", count: 5_000), "")?.message.contains("100") == true)
        // Looking up categories and cases costs more.
        let costly = matching(
            "(?i)[^\\pN]{500}\\pN", String(repeating: "\u{3042}", count: 2_000))
        #expect(costly?.kind == .limit)
        #expect(matching("(a?){999}b", String(repeating: "a", count: 60_000))?.kind == .limit)
    }

    @Test func `a text that is too long isn't read`() {
        #expect(fault(String(repeating: " ", count: 65_537))?.kind == .limit)
        #expect(fault("[" + String(repeating: "0,", count: 25_000) + "]")?.kind == .limit)
    }

    @Test func `types can't be made to grow without end`() {
        // Each list is an element of the next: a checker without bounds writes a type of its size.
        var text = "[]"
        for _ in 0..<60 { text = "[\(text)]" }
        #expect(fault(text) == nil)
        let error = fault("1 + \(text)")
        #expect((error?.message.utf8.count ?? 0) < 300)
        // Each map has the one before as its key and value, so types double at each level.
        var doubled = "optional.of([1])"
        for _ in 0..<60 { doubled += ".optMap(x, {x: x})" }
        #expect(fault(doubled)?.message == "list(int) can't be a key")
        // The type of each name is a map of the one before, which is found only later.
        let pairs = (1..<30).map { "[{'a': v\($0), 'b': [v\($0), v\($0)]}['a'], v\($0 + 1)]" }
        let maps = (1..<30).map { "[{v\($0): v\($0)}, v\($0 + 1)]" }
        for parts in [pairs, maps] {
            var nested = "[\(parts.joined(separator: ", "))]"
            for number in (1...30).reversed() { nested = "[].map(v\(number), \(nested))" }
            #expect((fault(nested)?.message.utf8.count ?? 0) < 300)
        }
    }
}
