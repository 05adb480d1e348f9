import Testing

@testable import CEL

struct EvaluatorTests {
    @Test func `operands that decide make up for faults on either side`() throws {
        #expect(try value("1 / 0 > 0 || true || 1 / 0 > 0") == true)
        #expect(try value("1 / 0 > 0 && false") == false)
        #expect(fault("1 / 0 > 0 || false")?.message == "division by zero")
        #expect(try value("[0, 1].exists(x, 1 / x == 1)") == true)
        #expect(try value("[0, 1].all(x, 1 / x == 5)") == false)
        #expect(fault("[0, 1].all(x, 1 / x == 1)")?.message == "division by zero")
        #expect(fault("[0, 1].existsOne(x, 1 / x == 1)")?.message == "division by zero")
        #expect(try uncheckedValue("'a' && false") == false)
        #expect(throws: CELError.self) { try uncheckedValue("'a' || false") }
    }

    @Test func `maps have one value for a key`() throws {
        #expect(fault("{1: 1, 1u: 2}")?.message == "the key 1 is there twice")
        #expect(try uncheckedValue("{1u: 'a'}[1]") == "a")
        #expect(try uncheckedValue("{1: 'a'}[1.0]") == "a")
        #expect(throws: CELError.self) { try uncheckedValue("{1.0: 'a'}") }
        #expect(throws: CELError.self) { try uncheckedValue("{null: 'a'}") }
        #expect(throws: CELError.self) { try uncheckedValue("{'a': 1}[null]") }
        #expect(try uncheckedValue("b'a' in {'a': 1}") == false)
        #expect(throws: CELError.self) { try uncheckedValue("1 in 1") }
        #expect(throws: CELError.self) { try uncheckedValue("[1]['a']") }
        #expect(throws: CELError.self) { try uncheckedValue("1[0]") }
        #expect(throws: CELError.self) { try uncheckedValue("1.?a") }
    }

    @Test func `operators refuse values of other types`() {
        for text in [
            "1 + 'a'", "true + true", "-'a'", "!1", "'a' - 'b'", "[1] < [2]", "null < null",
            "1 < 'a'",
            "1 ? 2 : 3", "[?1]", "{?'a': 1}", "1.orValue(2)",
            "optional.of(1).or(2).value() + optional.none().or(3)",
            "[1].transformMapEntry(i, x, x)", "optional.of(1).optFlatMap(x, x)", "1.map(x, x)",
            "1.optMap(x, x)",
            "[1].all(x, x)", "timestamp(0) + timestamp(0)", "'a'.matches(1)", "size(1)",
            "base64.encode('a')",
        ] {
            #expect(throws: CELError.self, "\(text)") { try uncheckedValue(text) }
        }
    }

    @Test func `optional values come out of lists`() throws {
        #expect(
            try value("[optional.of(1), optional.none(), optional.of(2)].unwrapOpt()") == [1, 2])
        #expect(
            try value("optional.unwrap([optional.none()]) == [] && [].unwrapOpt() == []") == true)
        #expect(try value("[[1, 2].first().value(), [1, 2].last().value()]") == [1, 2])
        #expect(try value("[].first() == optional.none() && ![].last().hasValue()") == true)
        #expect(fault("[dyn(1)].unwrapOpt()")?.message.contains("one is int") == true)
        #expect(fault("dyn(1).first()")?.message.contains("can't be applied") == true)
    }

    @Test func `or and orValue evaluate their argument only if it is needed`() throws {
        #expect(try value("optional.of(1).orValue(1 / 0)") == 1)
        #expect(try value("optional.of(1).or(optional.of(1 / 0)).value()") == 1)
        #expect(fault("optional.none().orValue(1 / 0)") != nil)
    }

    @Test func `functions without arguments' types say what they got`() {
        var arguments = Arguments()
        for value: CELValue in [1, "a", 2.5, true] { arguments.append(value) }
        #expect(
            arguments.mismatch("f").message == "'f' can't be applied to (int, string, double, bool)"
        )
    }

    @Test func `steps, texts, elements and bytes have their own bounds`() {
        let list = "[1, 2, 3, 4].map(x, [x, x])"
        #expect(
            fault(list, limits: CELLimits(steps: 5))?.message
                == "the expression needs more than 5 steps")
        #expect(
            fault(list, limits: CELLimits(elements: 3))?.message
                == "a list or map has more than 3 elements")
        #expect(
            fault(list, limits: CELLimits(totalBytes: 100))?.message
                == "the expression makes more than 100 bytes")
        #expect(
            fault(list, limits: CELLimits(resultBytes: 100))?.message
                == "the result has more than 100 bytes")
        #expect(
            fault("string(b'abcdef')", CELEnvironment(), limits: CELLimits(textBytes: 5)) == nil)
        let environment = CELEnvironment(variables: [.init("s", .string)])
        let error = fault("s + s", environment, values: ["abc"], limits: CELLimits(textBytes: 5))
        #expect(error?.message == "a text has more than 5 bytes")
        #expect(error?.kind == .limit)
        #expect(
            fault(
                list, limits: CELLimits(steps: 100, elements: 4, totalBytes: 400, resultBytes: 400))
                == nil)
    }

    @Test func `a budget counts every part of a result`() throws {
        let budget = Budget(limits: CELLimits(resultBytes: 100))
        let map: CELValue = ["k": "0123456789"]
        try budget.check(result: map)
        #expect(throws: EvaluationFailure.self) { try budget.check(result: .list([map, map])) }
        #expect(throws: EvaluationFailure.self) {
            try budget.check(result: .optional(.bytes(Array(repeating: 0, count: 99))))
        }
    }

    @Test func `a macro over a map has keys, and values with two names`() throws {
        #expect(try value("{'a': 1, 'b': 2}.map(k, k)") == ["a", "b"])
        #expect(try value("{'a': 1, 'b': 2}.exists(k, v, k == 'b' && v == 2)") == true)
        #expect(try value("{'a': 1, 'b': 2}.transformMap(k, v, v > 1, k + k)") == ["b": "bb"])
        #expect(try value("[5].transformMap(i, v, i + v)[0]") == 5)
        #expect(
            fault("{'a': 1, 'b': 1}.transformMapEntry(k, v, {v: k})")?.message
                == "the key 1 is there twice")
        #expect(try value("[[1, 2], [3]].map(x, x.map(y, y * size(x)))") == [[2, 4], [3]])
    }
}
