import OrderedJSON
import Testing

/// The lines of the wire protocol, as a server and a client look at them.
@Suite struct WireLineTests {
    private static let lines = [
        #"{"op":"hello","server":"grove","version":"0.1.0","proto":[1],"node":"n1","#
            + #""auth_required":false,"features":["jsonrpc","auth"],"max_line":1048576,"#
            + #""heartbeat_ms":30000,"#
            + #""time":"2026-11-21T02:20:00.123Z"}"#,
        #"{"op":"hello","id":0,"proto":1,"client":"mytool/2.1","token":"t","order":"any"}"#,
        #"{"id":0,"ok":true,"session":"c-81","principal":"anonymous"}"#,
        #"{"op":"send","id":12,"to":"counter/i-4711","event":{"type":"add","amount":5},"#
            + #""reply":"min"}"#,
        #"{"id":7,"error":{"code":"VERSION_CONFLICT","message":"expected 41, is 45","retry":false,"#
            + #""data":{"v":45}}}"#,
        #"{"op":"subscribe","id":9,"sub":"s1","select":{"machine":"order","instance":"o-*","#
            + #""kind":["output","state"],"type":"invoice.*"},"from":"now","snapshot":true,"#
            + #""credit":256,"slow":"pause"}"#,
        #"{"sub":"s1","cur":"…","to":"order/o-1","v":42,"kind":"output","type":"invoice.created","#
            + #""data":{"type":"invoice.created","total":5},"cause":{"event":"PAY","dedup":"k-1"},"#
            + #""at":"…"}"#,
        #"{"sub":"s1","cur":"…","mark":"live"}"#, #"{"op":"ping","t":17}"#,
        #"{"op":"draining","deadline_ms":10000}"#,
        #"{"jsonrpc":"2.0","id":"a","method":"get","params":{"to":"counter/c"}}"#,
    ]

    @Test(arguments: lines)
    func `a line comes back byte for byte`(line: String) throws {
        let document = try parsed(line)
        #expect(document.kind(document.root) == .object)
        #expect(document.value(document.root).description == line)
    }

    @Test(arguments: lines)
    func `white space around tokens changes nothing`(line: String) throws {
        let document = try parsed(line)
        var spaced = " \t"
        var isInString = false
        for character in line {
            if character == "\"" { isInString.toggle() }
            let isToken = !isInString && "{}[]:,".contains(character)
            spaced += isToken ? "\r \(character)\t " : String(character)
        }
        let other = try parsed(spaced)
        #expect(other.value(other.root) == document.value(document.root))
        #expect(other.range(other.root).lowerBound > 0)
    }

    @Test func `a request's members are reached without making values`() throws {
        let document = try parsed(Self.lines[3])
        let root = document.root
        let op = try #require(document.member("op", of: root))
        #expect(document.stringEquals(op, "send"))
        let id = try #require(document.member("id", of: root))
        #expect(document.text(id) == Array("12".utf8))
        let to = try #require(document.member("to", of: root))
        let slash = document.withStringBytes(to) { $0.firstIndex(of: UInt8(ascii: "/")) }
        #expect(slash == 7)
        let event = try #require(document.member("event", of: root))
        #expect(
            try JSONCoding.decode(CounterEvent.self, from: document, at: event)
                == .add(amount: 5))
        #expect(document.member("dedup", of: root) == nil)
    }

    @Test func `an id is echoed as it was written`() throws {
        for id in ["12", "\"a\\u0062\"", "-0", "\"\"", "9007199254740991"] {
            let document = try parsed("{\"id\":\(id)}")
            let node = try #require(document.member("id", of: document.root))
            var writer = JSONWriter()
            writer.literal("{\"id\":")
            writer.raw(document.text(node))
            writer.literal(",\"ok\":true}")
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "{\"id\":\(id),\"ok\":true}")
        }
    }

    @Test func `a document is read by several tasks at once`() async throws {
        let document = try parsed("[" + Self.lines.joined(separator: ",") + "]")
        let expected = document.value(document.root)
        await withTaskGroup(of: JSONValue.self) { group in
            for _ in 0..<8 { group.addTask { document.value(document.root) } }
            for await value in group { #expect(value == expected) }
        }
    }
}
