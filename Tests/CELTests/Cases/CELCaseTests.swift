import OrderedJSON
import Testing

@testable import CEL

struct CELCaseTests {
    private func problem(_ text: String) throws -> String? {
        CELCase(try JSONValue(parsing: Array(text.utf8))).problem()
    }

    @Test(arguments: [
        #"{"expr":"1 + 1","expect":{"int":"2"}}"#,
        #"{"expr":"x","bindings":{"x":{"double":"NaN"}},"expect":{"double":"NaN"}}"#,
        #"{"expr":"x / 0","bindings":{"x":{"int":"1"}},"error":true}"#,
        #"{"expr":"y","type_env":{"y":"int"},"error":true}"#,
        #"{"expr":"[b'\\x01', null]","expect":{"list":[{"bytes":"AQ=="},{"null":null}]}}"#,
        #"{"expr":"{1: true}","expect":{"map":[[{"int":"1"},{"bool":true}]]}}"#,
        #"{"expr":"1 + 'a'","disable_check":true,"error":true}"#,
        #"{"expr":"y","container":"x","bindings":{"x.y":{"uint":"7"}},"expect":{"uint":"7"}}"#,
        #"{"expr":"type(1)","expect":{"type":"int"}}"#,
    ])
    func `a test passes`(text: String) throws {
        #expect(try problem(text) == nil)
    }

    @Test(arguments: [
        (#"{}"#, "there is no 'expr'"),
        (#"{"expr":"1","expect":{"uint":"1"}}"#, "1 instead of 1u"),
        (#"{"expr":"1","error":true}"#, "no error, but 1"),
        (#"{"expr":"1 / 0","expect":{"int":"1"}}"#, "division"),
        (#"{"expr":"1 + 'a'","error":true}"#, "int"),
        (#"{"expr":"1","expect":1}"#, "1 is no value of a test"),
        (#"{"expr":"1","expect":{"int":"1","uint":"1"}}"#, "is no value of a test"),
        (#"{"expr":"1","expect":{"int":"a"}}"#, "is no value of a test"),
        (#"{"expr":"1","expect":{"map":[[{"double":"1.5"},{"int":"1"}]]}}"#, "no value of a test"),
        (#"{"expr":"x","type_env":{"x":"integer"}}"#, #""integer" is no type of a test"#),
        (#"{"expr":"x","type_env":{"x":{"map":["int"]}}}"#, "is no type of a test"),
    ])
    func `a test fails with its reason`(text: String, reason: String) throws {
        let problem = try #require(try problem(text))
        #expect(problem.contains(reason), "\(problem)")
    }

    @Test func `a fault shows the beginning of a long value`() {
        let fault = CELCaseFault("value", .string(String(repeating: "x", count: 1_000)))
        #expect(fault.message.count < 130 && fault.message.hasSuffix("x is no value of a test"))
    }

    @Test func `a program keeps its text, its type and its constant`() throws {
        let environment = CELEnvironment(variables: [.init("x", .int)])
        let program: CELProgram = try environment.compile("[x, 1]")
        #expect(program.type == .list(.int) && program.expression == "[x, 1]")
        #expect(program.constant == nil)
        #expect(try environment.compile("1 + 2").constant == 3)
    }
}
