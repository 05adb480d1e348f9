import OrderedJSON
import Testing

@Suite("JSON in the documentation")
struct JSONLineTests {
    @Test func `every line of JSON parses by the server's own reader`() throws {
        var lines = 0
        for language in ["json", "lines", "session"] {
            for block in Documentation.blocks(language) {
                for line in JSONLineTests.json(of: block) {
                    lines += 1
                    #expect(throws: Never.self, "\(block): \(line)") {
                        try JSONValue(parsing: Array(line.utf8))
                    }
                }
            }
        }
        #expect(lines > 50)
    }

    @Test func `lines of sessions are marked as sent or received`() {
        for block in Documentation.blocks("session") + Documentation.blocks("lines") {
            for line in block.lines {
                #expect(line.hasPrefix("> ") || line.hasPrefix("< "), "\(block): \(line)")
            }
        }
    }

    /// The JSON texts of a block: its lines without their marks, or all of it for a block `json`
    /// that is one value.
    static func json(of block: Page.Block) -> [String] {
        if block.language == "json" {
            let whole = block.lines.joined(separator: "\n")
            let isOne = (try? JSONValue(parsing: Array(whole.utf8))) != nil
            // Not one value: then each line is one, and the test says which is not.
            return isOne ? [whole] : block.lines
        }
        // A session may show what the server refuses to read.
        let isRefusal = block.lines.contains { $0.contains(#""code":"BAD_JSON""#) }
        return block.lines.filter { !(isRefusal && $0.hasPrefix("> ")) }
            .map { String($0.dropFirst(2)) }
    }

    @Test func `a pattern matches any value, and other text itself`()
        throws
    {
        let pattern = try JSONPattern(#"{"a":1,"b":["…",{"c":"…"}]}"#)
        func difference(_ text: String) throws -> String? {
            pattern.difference(from: try JSONValue(parsing: Array(text.utf8)))
        }
        #expect(try difference(#"{"a":1,"b":[true,{"c":{"d":2}}]}"#) == nil)
        #expect(try difference(#"{"a":2,"b":[true,{"c":0}]}"#) == "$.a is 2, not 1")
        #expect(try difference(#"{"a":1,"b":[true]}"#) == "$.b has 1 elements, not 2")
        #expect(try difference(#"{"a":1,"b":[true,{"d":0}]}"#)?.hasPrefix("$.b[1]") == true)
        #expect(try difference(#"{"b":[true,{"c":0}],"a":1}"#)?.hasPrefix("$ has") == true)
    }
}
