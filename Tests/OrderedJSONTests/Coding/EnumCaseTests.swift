import Foundation
import OrderedJSON
import Testing

/// The knowledge about an enum from Swift's generated code (`EnumProbe`,
/// `ProbeDecoder`).
@Suite("EnumCase")
struct EnumCaseTests {
    enum Plain: Codable { case a, b }
    enum Color: String, Codable { case red, darkGreen = "dark-green" }
    enum Number: Int, Codable { case one = 1 }
    struct Point: Codable { var x: Int, y: Int }
    indirect enum Tree: Codable { case leaf, node(Tree, weight: Int) }

    enum Event: Codable {
        case go
        case add(amount: Int)
        case name(String)
        case both(Int, String)
        case kind(Color, at: Date, note: String?)
        case list([Int], of: [String: Int], plain: Plain, more: Bool)
        case move(to: Point, by: Double)
        case wide(UInt8, UInt64, Float, Bool?)
        case renamed(inner: Tree)

        enum CodingKeys: String, CodingKey {
            case go = "GO"
            case add, name, both, kind, list, move, wide, renamed
        }
        enum AddCodingKeys: String, CodingKey { case amount = "how_many" }
    }

    private func shape(_ name: String) throws -> [String] {
        let cases = try #require(JSONCoding.cases(of: Event.self))
        let found = try #require(cases.first { $0.name == name })
        return found.members.map { member in
            let optional = member.isOptional.map { $0 ? "?" : "" } ?? " (perhaps)"
            return "\(member.name)\(optional): \(member.expected ?? "-")"
        }
    }

    @Test func `cases are in the order of their declaration, with their wire names`() throws {
        #expect(
            JSONCoding.cases(of: Event.self)?.map(\.name)
                == ["GO", "add", "name", "both", "kind", "list", "move", "wide", "renamed"])
    }

    @Test func `values are those that JSON has`() throws {
        #expect(try shape("GO") == [])
        #expect(try shape("add") == ["how_many: an integer"])
        #expect(try shape("name") == ["value: a string"])
        #expect(try shape("both") == ["_0: an integer", "_1: a string"])
        #expect(
            try shape("list") == [
                "value: an array", "of: an object", "plain: one of a, b", "more: true or false",
            ])
        #expect(
            try shape("wide") == [
                "_0: an integer from 0 to 255", "_1: an integer from 0", "_2: a number",
                "_3?: true or false",
            ])
    }

    @Test func `after a value that can't be made, only names are known`() throws {
        #expect(
            try shape("kind") == [
                "value: one of red, dark-green", "at: a number", "note (perhaps): -",
            ])
        #expect(try shape("move") == ["to: an object", "by (perhaps): -"])
        #expect(try shape("renamed") == ["inner: a string, or an object with a type"])
    }

    @Test func `found cases can be sent`() throws {
        // Each case that has only values of which one is known is written and read.
        let texts = [
            #""GO""#, #"{"type":"add","how_many":1}"#, #"{"type":"name","value":"x"}"#,
            #"{"type":"both","_0":1,"_1":"x"}"#,
            #"{"type":"list","value":[1],"of":{"a":1},"plain":"b","more":true}"#,
        ]
        for text in texts {
            let document = try JSONDocument(parsing: Array(text.utf8))
            let event = try JSONCoding.decode(Event.self, from: document, at: document.root)
            var writer = JSONWriter()
            try JSONCoding.encode(event, into: &writer)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        }
    }

    @Test func `an enum that holds itself is detected`() {
        #expect(JSONCoding.cases(of: Tree.self)?.map(\.name) == ["leaf", "node"])
    }

    @Test func `enums of texts have names, of numbers none`() {
        #expect(JSONCoding.cases(of: Color.self)?.map(\.name) == ["red", "dark-green"])
        #expect(JSONCoding.cases(of: Number.self) == nil)
    }

    enum One: Codable { case only }
    enum Labelled: Codable { case fine(kind: Int), wrong(type: String) }

    @Test func `one case is a case, and a label that names the case is seen`() {
        #expect(JSONCoding.cases(of: One.self)?.map(\.name) == ["only"])
        #expect(JSONCoding.cases(of: Labelled.self)?.map(\.hasTypeLabel) == [false, true])
    }

    @Test func `a long list of words is shortened`() {
        #expect(EnumCase.choice(["a", "b"]) == "one of a, b")
        let long = EnumCase.choice((0..<1_000).map { "word-\($0)" })
        #expect(long.hasSuffix(", …") && long.utf8.count < 620)
    }
}
