import OrderedJSON
import Testing

/// Structs, collections and simple values: what any Codable coder does.
@Suite struct StructCodingTests {
    struct State: Codable, Equatable { var count = 0 }

    struct Everything: Codable, Equatable {
        var bool = true
        var string = "é\"\n"
        var double = 0.1
        var float: Float = 0.1
        var int = -1
        var int8 = Int8.min
        var int16 = Int16.max
        var int32 = Int32.min
        var int64: Int64 = 9_007_199_254_740_991
        var uint: UInt = 7
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64: UInt64 = 9_007_199_254_740_991
        var int128: Int128 = -5
        var uint128: UInt128 = 5
    }

    private let everything =
        #"{"bool":true,"string":"é\"\n","double":0.1,"float":0.1,"int":-1,"int8":-128,"#
        + #""int16":32767,"int32":-2147483648,"int64":9007199254740991,"uint":7,"uint8":255,"#
        + #""uint16":65535,"uint32":4294967295,"uint64":9007199254740991,"int128":-5,"uint128":5}"#

    @Test func `every simple type is a member`() throws {
        try expectRoundTrip(Everything(), everything)
    }

    @Test func `members are read in any order and unknown ones ignored`() throws {
        #expect(try decoded(State.self, #"{"x":[{"count":3}],"count":2,"y":null}"#).count == 2)
    }

    @Test func `every simple type works alone and in arrays`() throws {
        try expectRoundTrip(true, "true")
        try expectRoundTrip("", #""""#)
        try expectRoundTrip(1.0, "1.0")
        try expectRoundTrip(Float(1.5), "1.5")
        try expectRoundTrip(-3, "-3")
        try expectRoundTrip([Int8(1), -1], "[1,-1]")
        try expectRoundTrip([Int16(1)], "[1]")
        try expectRoundTrip([Int32(1)], "[1]")
        try expectRoundTrip([Int64(1)], "[1]")
        try expectRoundTrip([Int128(1)], "[1]")
        try expectRoundTrip([UInt(1)], "[1]")
        try expectRoundTrip([UInt8(1)], "[1]")
        try expectRoundTrip([UInt16(1)], "[1]")
        try expectRoundTrip([UInt32(1)], "[1]")
        try expectRoundTrip([UInt64(1)], "[1]")
        try expectRoundTrip([UInt128(1)], "[1]")
        try expectRoundTrip([1.5, 2.0], "[1.5,2.0]")
        try expectRoundTrip([Float(1.5)], "[1.5]")
        try expectRoundTrip([true, false], "[true,false]")
        try expectRoundTrip(["a", "b"], #"["a","b"]"#)
        try expectRoundTrip([[Int]](), "[]")
        try expectRoundTrip([[1], [], [2, 3]], "[[1],[],[2,3]]")
    }

    @Test func `a number without a fraction is a double too`() throws {
        #expect(try decoded([Double].self, "[5,-0,1e2]") == [5, 0, 100])
        #expect(try decoded([Float].self, "[5]") == [5])
    }

    struct Optionals: Codable, Equatable {
        var bool: Bool?
        var string: String?
        var double: Double?
        var int: Int?
        var int8: Int8?
        var state: State?
        var list: [Int?]?
    }

    @Test func `nil is left out and read from nothing or null`() throws {
        try expectRoundTrip(Optionals(), "{}")
        let nulls =
            #"{"bool":null,"string":null,"double":null,"int":null,"#
            + #""int8":null,"state":null,"list":null}"#
        #expect(try decoded(Optionals.self, nulls) == Optionals())
        try expectRoundTrip(
            Optionals(
                bool: false, string: "", double: 1, int: 2, int8: 3, state: State(),
                list: [1, nil]),
            #"{"bool":false,"string":"","double":1.0,"int":2,"int8":3,"#
                + #""state":{"count":0},"list":[1,null]}"#
        )
    }

    @Test func `an optional of the wrong kind is an error`() throws {
        for member in ["bool", "string", "double", "int", "int8", "state", "list"] {
            let wrong = member == "bool" || member == "list" ? "5" : "true"
            let error = try decodingError(Optionals.self, "{\"\(member)\":\(wrong)}")
            #expect(error?.path == "$.\(member)")
        }
    }

    @Test func `optionals work at the top and in arrays`() throws {
        try expectRoundTrip(Int?.none, "null")
        try expectRoundTrip(Int?.some(1), "1")
        try expectRoundTrip([State?.none, State(count: 1)], #"[null,{"count":1}]"#)
        #expect(try encoded(Int??.some(.none)) == "null")
    }

    @Test func `dictionaries are objects, or arrays where keys are no strings`() throws {
        try expectRoundTrip(["b": 1, "a": 2, "": 3], #"{"":3,"a":2,"b":1}"#)
        try expectRoundTrip([2: "b", 10: "a"], #"{"10":"a","2":"b"}"#)
        try expectRoundTrip([String: [String: Int]](), "{}")
        try expectRoundTrip([0.5: "x"], #"[0.5,"x"]"#)
        #expect(try decodingError([Int: Int].self, #"{"x":1}"#)?.path == "$.x")
    }

    @Test func `a large dictionary is read in its order quickly`() throws {
        let members = (0..<50_000).map { "\"name \($0)\":\($0)" }
        let text = "{" + members.joined(separator: ",") + "}"
        let dictionary = try decoded([String: Int].self, text)
        #expect(dictionary.count == 50_000 && dictionary["name 777"] == 777)
    }

    @Test func `members of a large object are found in any order`() throws {
        let extra = (0..<40).map { "\"x\($0)\":{\"count\":\($0)}" }.joined(separator: ",")
        for text in [
            "{\"count\":1,\(extra)}", "{\(extra),\"count\":1}",
        ] {
            #expect(try decoded(State.self, text).count == 1)
        }
        let body = everything.dropLast() + ",\(extra)}"
        #expect(try decoded(Everything.self, String(body)) == Everything())
        let reversed = try JSONValue(parsing: Array(body.utf8)).object?.members.reversed() ?? []
        var object = JSONObject()
        for member in reversed { object[member.name] = member.value }
        let text = JSONValue.object(object).description
        #expect(try decoded(Everything.self, text) == Everything())
    }

    struct Tree: Codable, Equatable {
        var name: String
        var children: [Tree] = []
    }

    @Test func `a type may hold itself, as deeply as the document allows`() throws {
        var tree = Tree(name: "leaf")
        for level in 0..<31 { tree = Tree(name: "\(level)", children: [tree]) }
        let text = try encoded(tree)
        #expect(try decoded(Tree.self, text) == tree)
    }

    @Test func `any node can be decoded, and its errors have paths from the root`() throws {
        let document = try parsed(#"{"op":"send","event":{"count":"x"},"ok":{"count":1}}"#)
        let good = try #require(document.member("ok", of: document.root))
        #expect(try JSONCoding.decode(State.self, from: document, at: good).count == 1)
        let bad = try #require(document.member("event", of: document.root))
        let error = #expect(throws: JSONDecodingError.self) {
            try JSONCoding.decode(State.self, from: document, at: bad)
        }
        #expect(error?.path == "$.event.count")
    }

    @Test func `encoding appends to what the writer holds`() throws {
        var writer = JSONWriter()
        writer.literal("[")
        try JSONCoding.encode(State(count: 1), into: &writer)
        writer.literal(",")
        try JSONCoding.encode(Coin.dime, into: &writer)
        writer.literal("]")
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"[{"count":1},"dime"]"#)
    }
}
