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
        let document = try JSONDocument(parsing: Array(text.utf8))
        return try JSONCoding.decodeNoting(State.self, from: document).left
    }

    @Test func `a document that is read whole leaves nothing`() throws {
        let text =
            #"{"inner":[{"name":"a","size":1}],"event":{"type":"add","amount":1},"#
            + #""any":{"x":{"y":1}},"note":"n"}"#
        let left = try left(text)
        #expect(left.unread.isEmpty)
        #expect(left.renamed.isEmpty)
    }

    @Test func `members are left at any depth, also beside a case`() throws {
        let left = try left(
            #"{"inner":[{"name":"a","length":1}],"event":{"type":"add","amount":1,"by":"b"},"#
                + #""any":null,"gone":null,"remark":{"x":1}}"#)
        #expect(left.unread == ["$.inner[0].length", "$.event.by", "$.remark"])
        #expect(left.renamed.map(\.absent) == ["$.inner[0].size", "$.note"])
        #expect(left.renamed.map(\.unread) == [["$.inner[0].length"], ["$.event.by"]])
    }
}
