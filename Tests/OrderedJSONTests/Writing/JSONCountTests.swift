import Testing

@testable import OrderedJSON

@Suite("Numbers of values")
struct JSONCountTests {
    @Test(arguments: [
        ("5", 1), ("[]", 1), ("{ }", 1), ("[[]]", 2), (#"[5,{"a":6}]"#, 4),
        (#"{"a":[1 , 2],"b":{},"c":"x,y[1,2]"}"#, 6), (#"["a\",[","\\",[ ]]"#, 4),
        (#" [ true , null , [ [ ] , { } ] ] "#, 6), (#"{"[":"{","\\":"]"}"#, 3),
    ])
    func `the writer's number is the reader's`(text: String, count: Int) throws {
        let bytes = Array(text.utf8)
        #expect(!JSONCount.exceeds(count, in: bytes))
        #expect(JSONCount.exceeds(count - 1, in: bytes))
        #expect(throws: Never.self) {
            try JSONDocument(parsing: bytes, limits: JSONLimits(valuesMax: count))
        }
        #expect(throws: JSONError.self) {
            try JSONDocument(parsing: bytes, limits: JSONLimits(valuesMax: count - 1))
        }
    }

    @Test(arguments: [1, 2, 1_000])
    func `the shortest texts with that many values are counted`(count: Int) {
        let nested = String(repeating: "[", count: count) + String(repeating: "]", count: count)
        let flat = "[" + String(repeating: "1,", count: count - 1) + "1]"
        #expect(JSONCount.exceeds(count - 1, in: Array(nested.utf8)))
        #expect(!JSONCount.exceeds(count, in: Array(nested.utf8)))
        #expect(JSONCount.exceeds(count, in: Array(flat.utf8)))
        #expect(!JSONCount.exceeds(count + 1, in: Array(flat.utf8)))
    }
}
