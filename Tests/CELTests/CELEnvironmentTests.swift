import Testing

@testable import CEL

struct CELEnvironmentTests {
    /// Functions of a host: whether a state is active, and a sum.
    private struct Host: CELHost {
        func call(_ function: Int, _ arguments: [CELValue]) throws(CELCallError) -> CELValue {
            if function == 0 { return .bool(arguments == ["busy"]) }
            guard case .int(let left) = arguments[0], case .int(let right) = arguments[1] else {
                throw CELCallError("no numbers")
            }
            return .int(left + right)
        }
    }

    private let environment = CELEnvironment(
        variables: [.init("x", .int), .init("a.b", .string), .init("d", .dyn)],
        functions: [
            CELFunction("in", [.string], result: .bool),
            CELFunction("my.sum", [.int, .int], result: .int),
        ])

    @Test func `variables have the values of their position`() throws {
        let program = try environment.compile("a.b + string(x)")
        #expect(program.type == .string)
        #expect(try program.evaluate([1, "n"]) == "n1")
        #expect(fault("a.b", environment, values: [1])?.message == "a variable has no value")
        #expect(try environment.compile("1 + 1").constant == 2)
        #expect(program.constant == nil && program.expression == "a.b + string(x)")
    }

    @Test func `functions of the host are called with their arguments`() throws {
        let program = try environment.compile("in('busy') && !in('idle') && my.sum(x, 2) == 3")
        #expect(try program.isTrue([1], host: Host()))
        #expect(fault("in('busy')", environment)?.message == "the host gave no functions")
        #expect(fault("in(1)", environment)?.message == "'in' can't be applied to (int)")
        let failing = try environment.compile("my.sum(d, 1)")
        let error = #expect(throws: CELError.self) {
            try failing.evaluate([1, "", "x"], host: Host())
        }
        #expect(error?.message == "no numbers")
        #expect(try environment.compile("x in [1, 2]").isTrue([2]))
    }

    @Test func `the result has the type that is needed`() throws {
        let error = #expect(throws: CELErrors.self) {
            try environment.compile("x + 1", expecting: .bool)
        }
        #expect(error?.first.message == "the result must be bool, and is int")
        let dynamic = try environment.compile("d", expecting: .bool)
        let wrong = #expect(throws: CELError.self) { try dynamic.isTrue([1, "", 5]) }
        #expect(wrong?.message == "the result must be bool, and is int")
    }

    @Test func `a deferred expression is compiled when it is evaluated`() throws {
        for (text, value) in [("x + 1", 3), ("2 * 3", 6), ("{'a': x}.a", 2)] {
            let program = environment.deferred(text)
            #expect(program.expression == text && !program.isCompiled)
            #expect(try program.evaluate([2]) == .int(Int64(value)))
            #expect(program.isCompiled)
            #expect(try program.evaluate([2]) == environment.compile(text).evaluate([2]))
        }
        let constant = environment.deferred("2 * 3")
        #expect(constant.constant == 6 && constant.type == .dyn && constant.code.nodes.count > 0)
        // The same number of steps, first and later.
        for text in ["x + 1", "in('busy') || x > 1", "[1, 2].map(e, e * x)"] {
            let programs = [environment.deferred(text), try environment.compile(text)]
            let spent = try [0, 0, 1].map { index in
                var steps = 100
                _ = try programs[index].evaluate([2], host: Host(), stepsLeft: &steps)
                return 100 - steps
            }
            #expect(Set(spent).count == 1, "\(text): \(spent)")
        }
    }

    @Test func `a deferred expression with a fault fails when it is evaluated`() throws {
        for text in ["1 +", "x + 'a'", "nobody", "(((", "x.y.z"] {
            let program = environment.deferred(text)
            let error = #expect(throws: CELError.self) { try program.evaluate([1]) }
            #expect(error?.kind == .evaluation && error?.expression == text)
            let unchecked = #expect(throws: (any Error).self) {
                try environment.compile(text, checksTypes: false).evaluate([1])
            }
            let first = (unchecked as? CELErrors)?.first ?? (unchecked as? CELError)
            #expect(error?.message == first?.message && error?.offset == first?.offset)
        }
    }

    @Test func `many threads get the same code of a deferred expression`() async throws {
        let programs = (0..<50).map { environment.deferred("x * 2 + \($0)") }
        let sums = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try programs.reduce(0) { sum, program in
                        guard case .int(let value) = try program.evaluate([3]) else { return -1 }
                        return sum + value
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == Array(repeating: 50 * 6 + 1_225, count: 8))
    }

    @Test(arguments: [
        ("x", true), ("1 + x", true), ("'x' + string(x)", true), ("d.x", true), ("[x]", true),
        ("{'a': 1}[?x]", true), ("true ? x : 1", true), ("a.x + 1", false), ("'x'", false),
        ("{'x': 1}.x", false), ("{'x': 1}.?x", false), ("\"\"\"x\"\"\" + r'x'", false),
        ("1 // x", false), ("size('x')", false), ("1 +", false), ("'x", false), ("$ x", false),
        (".x", false), ("", false),
    ])
    func `the name of a variable is found outside of texts`(_ text: String, _ isFound: Bool) {
        #expect(environment.namesVariable(in: text) == isFound)
        // What is found isn't constant.
        let program = try? environment.compile(text, checksTypes: false)
        if isFound { #expect(program?.constant == nil) }
    }

    @Test func `mixed arithmetic is a switch`() throws {
        #expect(fault("1.5 + 1")?.message == "'+' can't be applied to (double, int)")
        #expect(throws: CELError.self) { try uncheckedValue("1.5 + 1") }
        let mixed = CELEnvironment(variables: [.init("d", .dyn)], allowsMixedArithmetic: true)
        func value(_ text: String) throws -> CELValue { try mixed.compile(text).evaluate([2]) }
        #expect(try value("1.5 + 1 == 2.5 && 1 == 1.0 && d * 1.5 == 3") == true)
        #expect(try value("type(1u + 1) == int && type(1u - 2.0) == double") == true)
        #expect(try mixed.compile("1 + 1.5").type == .double)
        #expect(try mixed.compile("1 + 1u").type == .int)
        #expect(fault("18446744073709551615u + 1", mixed)?.message == "integer overflow")
        #expect(fault("1 + 18446744073709551615u", mixed)?.message == "integer overflow")
        #expect(fault("'a' + 1", mixed)?.kind == .type)
        #expect(fault("1.5 % 1", mixed) != nil)
    }

    @Test func `names are looked up from the container outwards`() {
        let inner = CELEnvironment(container: "a.b")
        #expect(inner.candidates("x") == ["a.b.x", "a.x", "x"])
        #expect(inner.candidates(".x") == ["x"])
        var scope = NameScope(inner)
        scope.push(["x"])
        #expect(scope.locals == ["x"])
        scope.pop(1)
        #expect(scope.locals.isEmpty)
    }

    @Test func `without types, faults wait until they are reached`() throws {
        #expect(try uncheckedValue("true || nobody") == true)
        #expect(try uncheckedValue("true ? 1 : nothing(1)") == 1)
        #expect(throws: CELError.self) { try uncheckedValue("nothing(1)") }
        #expect(throws: CELError.self) { try uncheckedValue("'a'.nothing()") }
    }
}
