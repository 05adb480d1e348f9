import Testing

@testable import CEL

struct TypeCheckerTests {
    private let environment = CELEnvironment(variables: [
        .init("i", .int), .init("s", .string), .init("d", .dyn), .init("l", .list(.int)),
        .init("m", .map(.string, .int)), .init("n", .map(.int, .string)),
        .init("o", .optional(.int)),
        .init(
            "c", .object(["paid": .int, "tags": .list(.string), "inner": .object(["x": .bool])])),
        .init("t", .timestamp), .init("u", .variable(0)),
    ])

    @Test(arguments: [
        ("i + 1", "int"), ("[1, 2]", "list(int)"), ("[1, 'a']", "list(dyn)"), ("[]", "list(dyn)"),
        ("{'a': 1}", "map(string, int)"), ("{}", "map(dyn, dyn)"),
        ("{1: 1, 'a': 2}", "map(dyn, int)"),
        ("[[1], []]", "list(list(int))"), ("[[1], ['a']]", "list(dyn)"),
        ("[[1], [d]]", "list(list(dyn))"),
        ("l.map(x, string(x))", "list(string)"), ("l.filter(x, x > 1)", "list(int)"),
        ("m.transformMap(k, v, [v])", "map(string, list(int))"), ("m.map(k, k)", "list(string)"),
        ("l.transformList(j, x, j + x)", "list(int)"),
        ("o.optMap(x, [x])", "optional_type(list(int))"),
        ("o.optFlatMap(x, optional.of('a'))", "optional_type(string)"), ("o.orValue(1)", "int"),
        ("d.?a.orValue(1)", "dyn"), ("o.orValue(d)", "dyn"), ("optional.of(d).orValue(1)", "dyn"),
        ("d + [1]", "list(dyn)"), ("[d] + [1]", "list(dyn)"), ("[1] + [d]", "list(dyn)"),
        ("[m, c]", "list(map(string, dyn))"), ("[c, m]", "list(map(string, dyn))"),
        ("[[], d, [1]]", "list(dyn)"), ("[] + [1]", "list(int)"), ("u", "dyn"),
        ("[u, 1]", "list(dyn)"), ("[[1]][0][0]", "int"), ("[[1]][0].map(x, x)", "list(int)"),
        ("m.?a", "optional_type(int)"), ("m[?'a']", "optional_type(int)"),
        ("l[?0]", "optional_type(int)"),
        ("optional.of(m).a", "optional_type(int)"), ("optional.none()", "optional_type(dyn)"),
        ("[o].unwrapOpt()", "list(int)"), ("optional.unwrap([o, optional.none()])", "list(int)"),
        ("d.unwrapOpt()", "list(dyn)"), ("l.first()", "optional_type(int)"),
        ("d.last()", "optional_type(dyn)"), ("[].first()", "optional_type(dyn)"),
        ("[?o, 1]", "list(int)"), ("{?'a': o}", "map(string, int)"), ("c.paid", "int"),
        ("c['paid']", "int"),
        ("c[s]", "dyn"), ("c.inner.x", "bool"), ("c.?tags", "optional_type(list(string))"),
        ("c.map(k, k)", "list(string)"), ("d.a.b", "dyn"), ("d + 1", "int"), ("d + d", "dyn"),
        ("i > 0 ? 1 : 2", "int"), ("i > 0 ? 1 : null", "dyn"), ("i > 0 ? [1] : []", "list(int)"),
        ("type(i)", "type"), ("int", "type"), ("math.greatest(1, 2)", "int"),
        ("math.least(1, 2.0)", "dyn"),
        ("math.greatest([1.0])", "double"), ("t - t", "google.protobuf.Duration"),
        ("t + duration('1s')", "google.protobuf.Timestamp"), ("s.split(',')", "list(string)"),
        ("d.size()", "int"), ("has(c.nothing)", "bool"), ("i == 1.0 || i == null", ""),
        ("i == null", "bool"),
        ("[].exists(x, x + 1 > 0)", "bool"), ("1 < 2.0", "bool"), ("c == c", "bool"),
        ("c == {'paid': 1}", "bool"),
        ("m.transformMapEntry(k, v, {v: k})", "map(int, string)"), ("dyn(1) == 'a'", "bool"),
    ])
    func `a part has its type`(text: String, expected: String) throws {
        guard !expected.isEmpty else {
            #expect(fault(text, environment)?.kind == .type)
            return
        }
        #expect(try environment.compile(text).type.description == expected)
    }

    @Test(arguments: [
        ("i + s", 2, "'+' can't be applied to (int, string)"),
        ("nobody", 0, "there is no variable 'nobody'"),
        ("c.piad", 1, "there is no member 'piad'; did you mean 'paid'?"),
        ("l.fliter(x, x > 0)", 2, "; did you mean 'filter'?"),
        ("math.greatst(1, 2)", 5, "; did you mean 'greatest'?"),
        ("timstamp(1)", 0, "; did you mean 'timestamp'?"),
        ("startsWith(s, 'a')", 0, "; write x.startsWith() instead of startsWith(x)"),
        ("i.string()", 2, "; write string(x) instead of x.string()"),
        ("c.piad", 1, "there is no member 'piad'"), ("c['piad']", 1, "there is no member 'piad'"),
        ("c.?piad", 1, "there is no member 'piad'"), ("c[1]", 1, "the keys are string"),
        ("i.x", 1, "int has no members"), ("n.x", 1, "the keys are int"),
        ("[[1]][0].x", 8, "list(int) has no members"),
        ("l['a']", 1, "'[]' can't be applied"),
        ("!i", 1, "'!' needs bool, and this is int"), ("i && true", 0, "'&&' needs bool"),
        ("true || s", 8, "'||' needs bool"), ("i ? 1 : 2", 0, "'?' needs bool"),
        ("true ? 1 : 'a'", 5, "'?' needs results of one type: int or string"),
        ("-s", 0, "'-' can't be applied to (string)"),
        ("i == s", 2, "'==' compares int with string"), ("{1.5: 1}", 1, "double can't be a key"),
        ("i.map(x, x)", 0, "'map' needs a list or map"), ("l.all(x, x)", 9, "'all' needs bool"),
        ("i.optMap(x, x)", 0, "'optMap' needs an optional value"),
        ("o.optFlatMap(x, x)", 16, "needs an optional"),
        ("[?i]", 2, "'?' needs an optional value, and this is int"),
        ("f(1)", 0, "there is no function 'f' with 1 argument"),
        ("s.size(1)", 2, "no function 'size' with 1 argument"),
        ("s.contains(1)", 2, "'contains' can't be applied"),
        ("math.greatest('a')", 5, "'greatest' can't be applied"),
        ("1 in s", 2, "'in' can't be applied"), ("l.unwrapOpt()", 2, "can't be applied"),
        ("m.first()", 2, "'first' can't be applied"),
        ("m.transformMapEntry(k, v, v)", 26, "can't be applied to (int)"),
        ("size()", 0, "with 0 arguments"),
    ])
    func `a wrong part is reported at its place`(text: String, offset: Int, message: String) {
        let error = fault(text, environment)
        #expect(error?.kind == .type)
        #expect(error?.message.contains(message) == true, "\(text): \(error?.message ?? "")")
        #expect(error?.offset == offset, "\(text): \(error?.offset ?? -1)")
    }

    @Test func `variables of types are bound once and never within themselves`() {
        var types = Substitution()
        let one = types.fresh()
        var unified = [types.unify(one, .int), types.unify(one, .string)]
        let other = types.fresh()
        unified.append(types.unify(other, .list(other)))
        unified.append(types.unify(.list(other), .list(.map(.string, one))))
        #expect(unified == [true, false, false, true])
        #expect(types.resolved(other) == .map(.string, .int))
        let joined = [types.join(.list(.dyn), .list(.int)), types.join(.int, .string)]
        #expect(joined == [.list(.dyn), .dyn])
        let renamed = types.instantiate([FunctionTable.a, .list(FunctionTable.a)])
        #expect(renamed[1] == .list(renamed[0]) && renamed[0] != FunctionTable.a)
    }

    @Test func `every function can be found by its signatures`() {
        let entries =
            Array(FunctionTable.globals.values.joined()) + FunctionTable.members.values.joined()
        let found = Set(entries.map { $0.function })
        #expect(found == Set(BuiltIn.allCases))
        for (name, entries) in FunctionTable.members {
            for overload in entries.flatMap(\.overloads) {
                #expect(
                    FunctionTable.find(entries, arguments: overload.parameters.count) != nil,
                    "\(name)")
            }
        }
        #expect(FunctionTable.memberOverloads[.hours]?.count == 3)
        #expect(Overload([.int], .bool).result == .bool)
        #expect(
            OperatorTable.overloads(.add, mixed: true).count
                > OperatorTable.overloads(.add, mixed: false).count)
    }

    @Test func `a call means a function, of the host first`() {
        let scope = NameScope(
            CELEnvironment(functions: [CELFunction("size", [.int], result: .int)], container: "a"))
        guard case .host(0)? = scope.function("size", target: nil, arguments: 1)?.function else {
            Issue.record("the host's function was not found")
            return
        }
        let member = scope.function(
            "size", target: try? Parser.parse("'a'"), arguments: 0)
        guard case CalledFunction.builtIn(.size)? = member?.function else {
            Issue.record("the built-in function was not found")
            return
        }
        #expect(member?.isMember == true)
    }
}
