import Foundation
import OrderedJSON
import Testing

/// JSON values inside of Codable types, with this library's coder and with another one.
@Suite struct ValueCodingTests {
    struct Envelope: Codable, Equatable {
        var name: String
        var data: JSONValue
        var extra: JSONObject?
        var list: [JSONValue] = []
    }

    private let text =
        #"{"name":"n","data":{"z":[1,2.5,null,true,"x"],"a":{"é":-1}},"#
        + #""extra":{"q":1,"b":[]},"list":[[],{}]}"#

    @Test func `a value keeps order and kinds on its way through`() throws {
        let envelope = try decoded(Envelope.self, text)
        #expect(envelope.data["z"] == [1, 2.5, nil, true, "x"])
        #expect(envelope.data.object?.members.map(\.name) == ["z", "a"])
        #expect(envelope.extra == ["q": 1, "b": []])
        #expect(try encoded(envelope) == text)
    }

    @Test func `another coder reads and writes values too`() throws {
        let envelope = try JSONDecoder().decode(Envelope.self, from: Data(text.utf8))
        #expect(envelope.data["z"] == [1, 2.5, nil, true, "x"])
        #expect(envelope.data["a"]?["é"] == -1)
        #expect(envelope.list == [[], [:]])
        let again = try JSONDecoder().decode(
            Envelope.self, from: JSONEncoder().encode(envelope))
        #expect(again.data["z"] == envelope.data["z"])
        #expect(again.extra?["q"] == 1 && again.extra?.count == 2)
    }

    @Test func `null is a value, and nil for an optional`() throws {
        #expect(try decoded(JSONValue.self, "null") == .null)
        #expect(try decoded(JSONValue?.self, "null") == nil)
        #expect(try decoded([JSONValue].self, "[null,[null]]") == [nil, [nil]])
        let envelope = try decoded(Envelope.self, #"{"name":"n","data":null,"list":[]}"#)
        #expect(envelope.data == .null && envelope.extra == nil)
    }

    @Test func `decoding an object from another value fails`() {
        #expect(throws: JSONDecodingError.self) { try decoded(JSONObject.self, "[1]") }
        #expect(throws: JSONDecodingError.self) {
            try decoded([String: JSONObject].self, #"{"a":1}"#)
        }
    }

    @Test(
        arguments: [
            (["a": [1, .integer(9_007_199_254_740_992)]], "±(2^53 − 1)"),
            (["a": .double(.infinity)], "inf"), ([.integer(.min)], "±(2^53 − 1)"),
            ([["b": .double(.nan)]], "nan"),
        ] as [(JSONValue, String)])
    func `a value that wouldn't be read back the same isn't encoded`(
        value: JSONValue, word: String
    ) throws {
        let error = try #require(throws: JSONEncodingError.self) {
            try encoded(["x": value])
        }
        #expect(error.path == "$.x")
        #expect(error.message.contains(word))
    }
}
