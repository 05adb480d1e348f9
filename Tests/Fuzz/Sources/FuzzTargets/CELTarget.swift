import CEL
import OrderedJSON

extension FuzzTarget {
    /// Compiles any text as an expression, with and without types, and evaluates it. Errors must
    /// have a place within the text, and results the type that was found.
    static let cel = FuzzTarget(
        "cel",
        words: [
            "1", "-1", "9223372036854775807", "1u", "1.5", "'a'", "b'\\xff'", "r'", "'''",
            "\\u0041",
            "true", "null", "x", "x.a", "y", "[", "]", "{", "}", "(", ")", ",", ":", "?", ".?",
            "[?",
            "+", "-", "%", "==", ">=", " in ", "&&", "||", "!", "has(x.a)", ".map(e, ", ".all(e, ",
            ".exists(i, e, ", ".transformMap(k, v, ", "size(", "string(", "timestamp(", "duration(",
            ".matches(", "(a|b)*", "{2,3}", "\\pL", "[^a-z]", ".format([", "%.3f", "math.greatest(",
            "optional.of(", ".orValue(", ".split(", ".getHours('Europe/Berlin')", "`a-b`", "//",
        ],
        smokeInputs: 20_000
    ) { input in
        let text = String(decoding: input, as: UTF8.self)
        for checksTypes in [true, false] {
            let program: CELProgram
            do throws(CELErrors) {
                program = try environment.compile(text, checksTypes: checksTypes)
            } catch {
                guard error.all.allSatisfy({ $0.offset <= text.utf8.count }) else {
                    throw Finding("an error is outside of the text: \(error)")
                }
                continue
            }
            try check(program)
        }
    }

    private static let environment = CELEnvironment(
        variables: [.init("x", .dyn), .init("y", .list(.int))], allowsMixedArithmetic: true)

    private static let values: [CELValue] = [
        ["a": [1, 2.5, "b"], "b": ["c": true]], [3],
    ]

    private static func check(_ program: CELProgram) throws {
        let value: CELValue
        do throws(CELError) {
            value = try program.evaluate(values)
        } catch {
            guard error.kind == .evaluation || error.kind == .limit else {
                throw Finding("an evaluation fails with \(error.kind)")
            }
            return
        }
        guard program.type == .dyn || program.type.name == value.type.name else {
            throw Finding("\(program.expression) has the type \(program.type) and gives \(value)")
        }
        _ = value.json
    }
}
