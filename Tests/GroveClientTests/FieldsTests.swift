import OrderedJSON
import Testing

@testable import GroveClient

private func line(_ text: String) throws -> Fields {
    Fields(try JSONDocument(parsing: Array(text.utf8)))
}

@Suite("Client: fields of replies")
struct FieldsTests {
    @Test func `members of another type are missing`() throws {
        let fields = try line(#"{"s":"a","n":3,"b":true,"l":[1],"x":null}"#)
        #expect(fields.string("s") == "a" && fields.string("n") == nil)
        #expect(fields.integer("n") == 3 && fields.integer("s") == nil)
        #expect(fields.bool("b") == true && fields.bool("n") == nil)
        #expect(fields.array("l") == [1] && fields.array("s") == [] && fields.array("no") == [])
        #expect(fields.plainText("s") == "a" && fields.plainText("n") == "3")
        #expect(fields.value("x") == .null && fields.value("no") == nil)
    }

    @Test func `a required member has to be there, with its type`() throws {
        let fields = try line(#"{"v":"7"}"#)
        #expect(try fields.required("v", Fields.string) == "7")
        #expect(throws: ClientError.protocolViolation("a reply without a usable \"v\"")) {
            try fields.required("v", Fields.integer)
        }
    }

    @Test func `elements are read one by one`() throws {
        let fields = try line(#"{"a":[{"effect":1},{"effect":2,"end":"failed"}],"b":{},"c":[{}]}"#)
        let items: [EffectOutcome]? = try fields.items("a")
        #expect(items?.map(\.run) == [1, 2] && items?.last?.end == .failed)
        #expect(try (fields.items("no") as [EffectOutcome]?) == nil)
        for name: StaticString in ["b", "c"] {
            #expect(throws: ClientError.self) { try fields.items(name) as [EffectOutcome]? }
        }
    }
}

@Suite("Client: replies")
struct RepliesTests {
    private func reply(_ text: String) throws -> Reply {
        Reply(try JSONDocument(parsing: Array(text.utf8)))
    }

    @Test func `absent members have their defaults`() throws {
        let sent = try SendReply(try reply(#"{"v":3}"#))
        #expect(sent.version == 3 && !sent.isChanged && !sent.isDone && !sent.isDuplicate)
        #expect(sent.state == nil && sent.outputs.isEmpty && sent.settled == nil)
        let instance = try InstanceReply(try reply(#"{"v":0}"#))
        #expect(instance.state == .null && instance.timers.isEmpty && instance.effects.isEmpty)
        let can = try CanReply(try reply(#"{"can":false,"accepts":["a",1]}"#))
        #expect(!can.isPossible && can.accepts == ["a"] && can.reason == nil)
        let described = try DescribeReply(try reply(#"{"diagram":"d"}"#))
        #expect(described.diagram == "d" && described.takes.isEmpty && described.states.isEmpty)
        #expect(described.graph.nodes.isEmpty && described.examples.isEmpty && !described.isPartial)
        #expect(try BatchReply(try reply(#"{"results":[]}"#)).results.isEmpty)
        #expect(DiagramFormat.allCases.map(\.rawValue) == ["mermaid", "dot"])
    }

    @Test func `a reply without required members is a protocol violation`() throws {
        let empty = try reply("{}")
        #expect(throws: ClientError.self) { try SendReply(empty) }
        #expect(throws: ClientError.self) { try InstanceReply(empty) }
        #expect(throws: ClientError.self) { try CanReply(empty) }
        #expect(throws: ClientError.self) { try DescribeReply(empty) }
        #expect(throws: ClientError.self) { try BatchReply(empty) }
        #expect(throws: ClientError.self) { try Page<InstanceSummary, String>(empty, next: nil) }
    }

    @Test func `a page's elements keep their order and their text`() async throws {
        let first = try reply(
            #"{"items":[{"to":"c/a","v":1,"held":"suspended"},{"to":"c/b","v":2}]}"#)
        let last = try reply(#"{"items":[{"to":"c/c","v":3}]}"#)
        let pages = PagedSequence<InstanceSummary, String>(start: nil) {
            position throws(ClientError) in
            position == nil
                ? try Page(first, next: "c/b") : try Page(last, next: nil)
        }
        var names: [String] = []
        for try await item in pages { names.append(item.name) }
        #expect(names == ["c/a", "c/b", "c/c"])
        let item = try Page<InstanceSummary, String>(first, next: nil).items[0]
        #expect(item.held == "suspended" && item.state == .null && item.heldReason == nil)
        #expect(item.text == Array(#"{"to":"c/a","v":1,"held":"suspended"}"#.utf8))
    }
}
