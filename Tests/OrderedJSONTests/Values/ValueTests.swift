import OrderedJSON
import Testing

/// Values made by hand.
@Suite struct ValueTests {
    @Test func `literals make the kinds they look like`() {
        #expect(
            ([nil, true, 1, 1.0, "a", [], [:]] as JSONValue).description
                == #"[null,true,1,1.0,"a",[],{}]"#)
        #expect(JSONValue.null == nil)
        #expect((1.0 as JSONValue) == .double(1))
        #expect((-5 as JSONValue) == .integer(-5))
        let object: JSONValue = ["z": 1, "a": ["b": [true]]]
        #expect(object.description == #"{"z":1,"a":{"b":[true]}}"#)
    }

    @Test func `accessors answer for their own kind only`() {
        let values: [JSONValue] = [.null, true, 1, 1.5, "a", [1], ["a": 1]]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil, nil])
        #expect(values.map(\.integer) == [nil, nil, 1, nil, nil, nil, nil])
        #expect(values.map(\.double) == [nil, nil, 1, 1.5, nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, nil, "a", nil, nil])
        #expect(values.map { $0.array?.count } == [nil, nil, nil, nil, nil, 1, nil])
        #expect(values.map { $0.object?.count } == [nil, nil, nil, nil, nil, nil, 1])
    }

    @Test func `members and elements are reached through subscripts`() {
        let value: JSONValue = ["a": [10, ["b": "c"]]]
        #expect(value["a"]?[1]?["b"] == "c")
        #expect(value["a"]?[0] == 10)
        #expect(value["a"]?[2] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["x"] == nil)
        #expect(value[0] == nil)
        #expect(value["a"]?["b"] == nil)
    }

    @Test func `values of different kinds are never equal`() {
        let values: [JSONValue] = [
            .null, false, true, 0, 0.5, "", "0", [], [0], [nil], [:], ["": nil], 1, 1.0, "null",
        ]
        for (left, one) in values.enumerated() {
            for (right, other) in values.enumerated() {
                #expect((one == other) == (left == right))
            }
        }
        #expect(Set(values).count == values.count)
    }

    @Test func `strings are equal byte by byte`() {
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(JSONValue.string("\u{E9}") == .string("é"))
        #expect(Set<JSONValue>(["\u{E9}", "e\u{301}"]).count == 2)
    }

    @Test func `objects are equal if they are written the same`() {
        #expect((["a": 1, "b": 2] as JSONValue) == ["a": 1, "b": 2])
        #expect((["a": 1, "b": 2] as JSONValue) != ["b": 2, "a": 1])
        #expect((["a": 1] as JSONValue) != ["a": 1.0])
    }

    @Test func `a text that is no JSON makes no value`() {
        #expect(throws: JSONError(offset: 1, reason: .endOfText)) {
            try JSONValue(parsing: Array("[".utf8))
        }
        #expect(throws: JSONError(offset: 1, reason: .tooDeep)) {
            try JSONValue(parsing: Array("[[]]".utf8), limits: JSONLimits(depthMax: 1))
        }
    }

    @Test func `a large integer made by hand is written in full and read as a double`() throws {
        let value = JSONValue.integer(.max)
        #expect(value.description == "9223372036854775807")
        #expect(try JSONValue(parsing: value.serialized()) == .double(0x1p63))
    }
}
