import Testing

@testable import CEL

struct CELErrorTests {
    @Test func `an error shows the line and a caret`() {
        let error = CELError(.type, "wrong", in: "a &&\n  \u{1F600}b + 'x'", at: 12)
        #expect(error.line == 2 && error.column == 5)
        #expect(error.description == "2:5: wrong\n |   \u{1F600}b + 'x'\n | ....^")
    }

    @Test func `places outside of the text are at its ends`() {
        #expect(CELError(.limit, "", in: "ab", at: 99).column == 3)
        #expect(CELError(.limit, "", in: "ab", at: -1).column == 1)
        #expect(CELError(.limit, "", in: "", at: 0).description == "1:1: \n | \n | ^")
    }

    @Test func `of a long line the part around the place is shown`() {
        let text = String(repeating: "a", count: 500) + "!" + String(repeating: "b", count: 500)
        let error = CELError(.syntax, "wrong", in: text, at: 500)
        let lines = error.description.split(separator: "\n")
        #expect(lines[1].count < 120 && lines[1].contains("a!b"))
        let caret = lines[2].firstIndex(of: "^").map {
            lines[2].distance(from: lines[2].startIndex, to: $0)
        }
        let mark = lines[1].firstIndex(of: "!").map {
            lines[1].distance(from: lines[1].startIndex, to: $0)
        }
        #expect(caret == mark && caret != nil)
    }

    @Test func `errors of an evaluation have the place of the operation`() {
        let error = fault("1 + [2][3]")
        #expect(error?.kind == .evaluation)
        #expect(error?.offset == 7, "\(error?.offset ?? -1)")
        #expect(fault("[1].all(x, x / 0 > 1)")?.offset == 13)
        #expect(EvaluationFailure("x").at(3).at(4).offset == 3)
    }

    @Test func `all type errors are reported, by their place`() {
        let error = #expect(throws: CELErrors.self) {
            try CELEnvironment().compile("b + a > 'x' + 1")
        }
        #expect(error?.all.map(\.offset) == [0, 4, 12])
        #expect(error?.first.message == "there is no variable 'b'")
        #expect(error?.description.split(separator: "\n").count == 9)
        let many = #expect(throws: CELErrors.self) {
            try CELEnvironment().compile("[" + String(repeating: "a, ", count: 100) + "]")
        }
        #expect(many?.all.count == CELLimits.errorsMax)
    }
}
