import OrderedJSON
import Testing

@testable import ChartImport

struct ReadableJSONTests {
    @Test func `short values have one line, long ones a line per member`() throws {
        let value: JSONValue = [
            "id": "m", "list": [1, 2], "none": [:],
            "long": [
                "a": .string(String(repeating: "x", count: 60)),
                "b": .string(String(repeating: "y", count: 60)),
            ],
        ]
        let text = ReadableJSON.text(value)
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
        #expect(
            text.split(separator: "\n").map { $0.prefix(20) } == [
                "{", "  \"id\": \"m\",", "  \"list\": [1, 2],", "  \"none\": {},", "  \"long\": {",
                "    \"a\": \"xxxxxxxxxx", "    \"b\": \"yyyyyyyyyy", "  }", "}",
            ])
        #expect(text.hasSuffix("}\n"))
    }

    @Test func `no line is longer than it must be`() {
        let list = JSONValue.array((0..<50).map { .integer($0) })
        let text = ReadableJSON.text(["a": ["b": list, "c": [:]]])
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(text.split(separator: "\n").count == 57)
    }
}
