import OrderedJSON
import Testing

/// The members that a decoding leaves (`ReadingNotes`, `LeftMembers`).
@Suite struct LeftMembersTests {
    struct Inner: Codable {
        var name: String
        var size: Int?
    }

    struct State: Codable {
        var inner: [Inner]
        var event: CounterEvent
        var any: JSONValue
        var note: String?
    }

    private func left(_ text: String) throws -> LeftMembers {
        let document = try JSONDocument(parsing: Array(text.utf8), limits: .stored)
        return try JSONCoding.decodeNoting(State.self, from: document).left
    }

    @Test func `a document that is read whole leaves nothing`() throws {
        let text =
            #"{"inner":[{"name":"a","size":1}],"event":{"type":"add","amount":1},"#
            + #""any":{"x":{"y":1}},"note":"n"}"#
        let left = try left(text)
        #expect(left.isEmpty && left.unread(max: 8).isEmpty)
        #expect(left.renamed(max: 8) == nil)
    }

    @Test func `members are left at any depth, also beside a case`() throws {
        let left = try left(
            #"{"inner":[{"name":"a","length":1}],"event":{"type":"add","amount":1,"by":"b"},"#
                + #""any":null,"gone":null,"remark":{"x":1}}"#)
        #expect(left.unread(max: 8) == ["$.inner[0].length", "$.event.by", "$.remark"])
        #expect(left.unread(max: 1) == ["$.inner[0].length"])
        let renamed = try #require(left.renamed(max: 8))
        #expect(renamed.absent == "$.inner[0].size")
        #expect(renamed.unread == ["$.inner[0].length"])
    }

    @Test func `an absent member of another type is found, too`() throws {
        let left = try left(
            #"{"inner":[{"name":"a"}],"event":{"type":"add","amount":1},"any":1,"remark":"x"}"#)
        let renamed = try #require(left.renamed(max: 8))
        #expect(renamed.absent == "$.note" && renamed.unread == ["$.remark"])
    }

    /// With a path for each absent one, and for each pair, this took gigabytes and minutes.
    @Test(.timeLimit(.minutes(1)))
    func `a list with thousands of absent and unread members costs as much as it is long`() throws {
        let element = #"{"name":"a","length":1}"#
        let list = Array(repeating: element, count: 60_000).joined(separator: ",")
        let left = try left(
            #"{"inner":[\#(list)],"event":{"type":"add","amount":1},"any":1}"#)
        #expect(left.unread(max: 2) == ["$.inner[0].length", "$.inner[1].length"])
        let renamed = try #require(left.renamed(max: 2))
        #expect(renamed.absent == "$.inner[0].size" && renamed.unread.count == 2)
    }
}
