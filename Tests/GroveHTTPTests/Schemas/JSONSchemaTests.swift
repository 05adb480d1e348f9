import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveHTTP

/// What the schemas mean, and that the validator of the tests reads them.
@Suite("JSONSchema")
struct JSONSchemaTests {
    /// Of these values, as JSON, the ones that fit.
    private func fitting(
        _ schema: JSONSchema, _ values: [String], isStrict: Bool = false
    ) throws -> [String] {
        var writer = JSONWriter()
        schema.append(to: &writer)
        let json = try JSONValue(parsing: writer.bytes)
        #expect(SchemaValidator.words(of: json).subtracting(SchemaValidator.words) == [])
        let validator = SchemaValidator(json, isStrict: isStrict)
        return try values.filter { validator.accepts(try JSONValue(parsing: Array($0.utf8))) }
    }

    private static let empty = "\"\""
    private let values = ["null", "true", "0", "-1", "1.5", Self.empty, #""ab""#, "[]", "{}"]

    @Test func `plain values`() throws {
        #expect(try fitting(.any, values) == values)
        #expect(try fitting(.never, values) == [])
        #expect(try fitting(.text, values) == [Self.empty, #""ab""#])
        #expect(try fitting(.flag, values) == ["true"])
        #expect(try fitting(.integer, values) == ["0", "-1"])
        #expect(try fitting(.count, values) == ["0"])
        #expect(try fitting(.integer.orNull, values) == ["null", "0", "-1"])
        #expect(try fitting(.only("ab"), values) == [#""ab""#])
        #expect(try fitting(.only(true), values) == ["true"])
        #expect(try fitting(.only(-1), values) == ["-1"])
        #expect(try fitting(.list(of: .any), values) == ["[]"])
        #expect(try fitting(.map(of: .any), values) == ["{}"])
        #expect(try fitting(.object([]), values) == ["{}"])
    }

    @Test func `bounds count what they say`() throws {
        #expect(
            try fitting(.integer(from: 1, to: 3), ["0", "1", "3", "4", "2.0", "9e9"]) == ["1", "3"])
        let texts = [Self.empty, #""a""#, #""äö""#, #""abc""#]
        #expect(try fitting(.text(1...2), texts) == [#""a""#, #""äö""#])
        #expect(try fitting(.text(from: 2), texts) == [#""äö""#, #""abc""#])
        #expect(try fitting(JSONSchema.text(0...2).matching("a.*"), texts) == [#""a""#])
        #expect(try fitting(.word(["a", "b"]), texts) == [#""a""#])
        #expect(
            try fitting(.list(of: .count, 1...2), ["[]", "[0]", "[0,1]", "[0,1,2]", "[null]"])
                == ["[0]", "[0,1]"])
    }

    @Test func `a pattern is for all of a text`() throws {
        let names = [#""a/b""#, #""a/b/c""#, #""/b""#, #"" a/b""#, #""1/b""#]
        #expect(try fitting(SchemaComponent.instanceName.schema, names) == [#""a/b""#])
        let times = [#""2026-11-21T02:20:00.123Z""#, #""2026-11-21T02:20:00Z""#, #""now""#]
        #expect(try fitting(SchemaComponent.time.schema, times) == Array(times.prefix(2)))
    }

    @Test func `an event is a text, or an object with a type`() throws {
        let events = [#""a""#, #"{"type":"a","n":1}"#, #"{"type":1}"#, "{}", "5", "null"]
        let isEvent = Array(events.prefix(2))
        #expect(try fitting(SchemaComponent.event.schema, events) == isEvent)
        #expect(try fitting(SchemaComponent.event.schema, events, isStrict: true) == isEvent)
    }

    @Test func `an object has the members that it must have`() throws {
        let schema = JSONSchema.object([JSONMember("a", .count), JSONMember("b?", .flag, "words")])
        let objects = [#"{"a":1}"#, #"{"a":1,"b":true}"#, #"{"b":true}"#, #"{"a":1,"b":2}"#, "[]"]
        #expect(try fitting(schema, objects) == Array(objects.prefix(2)))
        let more = [#"{"a":1,"c":null}"#]
        #expect(try fitting(schema, more) == more)
        #expect(try fitting(schema, more, isStrict: true) == [])
        #expect(try fitting(schema.closed, more) == [])
        #expect(try fitting(schema.open, more, isStrict: true) == more)
    }

    @Test func `exactly one of some members is there`() throws {
        let members = [JSONMember("a?", .any), JSONMember("b?", .any)]
        let schema = JSONSchema.object(members, exactlyOneOf: ["a", "b"])
        let objects = [#"{"a":1}"#, #"{"b":1}"#, "{}", #"{"a":1,"b":1}"#]
        #expect(try fitting(schema, objects) == Array(objects.prefix(2)))
    }

    @Test func `a value that fits two of several is refused`() throws {
        let schema = JSONSchema.oneOf([.text, .only("a"), .count])
        #expect(try fitting(schema, [#""a""#, #""b""#, "1", "null"]) == [#""b""#, "1"])
        #expect(try fitting(.oneOf([.count]), ["1", "null"]) == ["1"])
    }

    @Test func `a member's meaning stands beside its schema`() throws {
        var writer = JSONWriter()
        JSONMember("a?", .of(.cursor), "a place").described.append(to: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == ##"{"$ref":"#/components/schemas/Cursor","description":"a place"}"##)
    }

    @Test func `an effect in a page has all that it has in its instance, and more`() {
        let alone = SchemaMembers.instanceEffect.map(\.name)
        let paged = SchemaMembers.effect.map(\.name)
        #expect(Set(paged).isSuperset(of: alone))
        #expect(Set(paged).count == paged.count)
        #expect(Set(paged).subtracting(alone) == ["to", "event", "asked"])
    }

    @Test func `lines of JSON are a text`() throws {
        #expect(try fitting(JSONSchema.text.lines(of: .count), [#""1\n2\n""#, "1"]).count == 1)
    }
}
